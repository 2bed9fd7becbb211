import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { awsAuthEdit } from "../../lambda/domain/aws-auth/edit.ts";
import { nodeMapping, type RoleMapping } from "../../lambda/domain/launch/node-mapping.ts";
import type { Platform } from "../../lambda/domain/node/ec2-instance.ts";
import { account, readable, roleOf } from "../domain/aws-auth/corpus.ts";
import { unreadable } from "../domain/aws-auth/unreadable.ts";
import type { Verdict } from "./authenticator-webhook.ts";
import { JudgedCluster } from "./judged-cluster.ts";

/** Every role in the corpus that can be mapped, and the role that the edits add. */
const roles = ["admin", "dev", "ops", "managed", "second-document", "generated-7", "node"];

function wantedFor(platform: Platform): RoleMapping {
  return nodeMapping(roleOf("node"), platform);
}

describe("the authenticator, which judges every edit of aws-auth", () => {
  let cluster: JudgedCluster;

  beforeAll(async () => {
    cluster = await JudgedCluster.start(account, roles);
  });
  afterAll(async () => cluster.stop());

  /**
   * The expected user of a node's role: its user name before the edit, in its groups before and the
   * needed ones.
   */
  function expected(before: Verdict | undefined, { groups }: RoleMapping) {
    const fresh = { username: `system:node:${cluster.nodeName("node")}`, groups: [] };
    const old = before === undefined || before === "refused" ? fresh : before;
    const missing = groups.filter((group) => !old.groups.includes(group));
    return { username: old.username, groups: [...old.groups, ...missing] };
  }

  it.each(
    readable.flatMap((document) => [
      { ...document, platform: "linux" as const },
      { ...document, platform: "windows" as const },
    ]),
  )(
    "recognizes every user as before, and a new $platform node: $name",
    async ({ mapRoles, platform }) => {
      const wanted = wantedFor(platform);
      await cluster.write(mapRoles);
      const before = await cluster.verdicts();

      const edit = awsAuthEdit(mapRoles, wanted);
      if (edit.kind === "edited") await cluster.write(edit.text);

      const now = await cluster.verdicts();
      const node =
        edit.kind === "taken" ? before.get("node") : expected(before.get("node"), wanted);
      expect([...now]).toEqual([...new Map(before).set("node", node ?? "refused")]);
    },
  );

  it("recognizes the users in a map, and reads only the first of several documents", async () => {
    const several = readable.find(({ name }) => name === "several documents");
    await cluster.write(several?.mapRoles ?? "");

    const verdicts = await cluster.verdicts();
    expect(verdicts.get("admin")).toEqual({ username: "admin", groups: ["system:masters"] });
    expect(verdicts.get("second-document")).toBe("refused");
  });

  it("rejects every text that the function refuses, except ten that other readers read differently", async () => {
    const read: string[] = [];
    for (const [what, mapRoles] of unreadable) {
      await cluster.write(mapRoles);
      if ((await cluster.verdicts()).get("admin") !== "refused") read.push(what);
    }

    expect(read).toEqual([
      "1 MiB",
      "a merge key after a key that it contains too",
      "a block of text with an indentation indicator",
      "an empty value right after a colon",
      "two spellings of one field",
      "an octal number",
      "a pair without braces",
      "a block of text that ends without a line break",
      "a second document that is cut off",
      "groups in brackets that close at the start of a line",
    ]);
  });
});
