import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { awsAuthEdit } from "../../lambda/launch/aws-auth/edit.ts";
import { nodeMapping } from "../../lambda/launch/node-mapping.ts";
import { account, admin, roleOf, textsOf } from "../launch/aws-auth/corpus.ts";
import { JudgedCluster } from "./judged-cluster.ts";

/** Every role in these texts that can be mapped, and the role that the edits add. */
const roles = ["admin", "old", "older", "node"];

describe("the authenticator, which judges every edit of aws-auth", () => {
  let cluster: JudgedCluster;

  beforeAll(async () => {
    cluster = await JudgedCluster.start(account, roles);
  });
  afterAll(async () => cluster.stop());

  it.each(textsOf("edited"))(
    "recognizes every user as before, and a new node: $name",
    async ({ mapRoles }) => {
      const { groups, role } = nodeMapping(roleOf("node"), "windows");
      await cluster.write(mapRoles);
      const before = await cluster.verdicts();

      const edit = awsAuthEdit(mapRoles, nodeMapping(role, "windows"));
      await cluster.write(edit.kind === "edited" ? edit.text : "");

      const node = { username: `system:node:${cluster.nodeName("node")}`, groups };
      expect([...(await cluster.verdicts())]).toEqual([...new Map(before).set("node", node)]);
    },
  );

  it("takes the last entry of a role, in upper or lower case, and only the first of several documents", async () => {
    const viewer = admin.replace("role/admin", "role/ADMIN").replace("masters", "viewers");
    await cluster.write(`${admin}${viewer}---\n${admin.replace("role/admin", "role/old")}`);

    const verdicts = await cluster.verdicts();
    expect(verdicts.get("admin")).toEqual({ username: "admin", groups: ["system:viewers"] });
    expect(verdicts.get("old")).toBe("refused");
  });
});
