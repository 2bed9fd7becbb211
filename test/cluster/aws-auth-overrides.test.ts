import { CoreV1Api } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { account, arnOf } from "../domain/aws-auth/corpus.ts";
import { fenceIn } from "./fences.ts";
import { asTheFunction, place } from "./function-identity.ts";
import { JudgedCluster } from "./judged-cluster.ts";

const userName = "system:node:{{EC2PrivateDNSName}}";
const admin = arnOf("admin");
const entry = (arn: string) => `- rolearn: ${arn}\n  username: admin\n  groups: [system:masters]\n`;
const node = (arn: string, note = "") =>
  `- rolearn: ${arn}${note}\n  groups: [system:nodes]\n  username: ${userName}\n`;
const other = entry(arnOf("dev"));

/** The entry that the function would add for the administrator's role. */
const added = `- groups:\n  - system:bootstrappers\n  - system:nodes\n  rolearn: ${admin}\n  username: ${userName}\n`;
const inBrackets = `{"groups": ["system:bootstrappers", "system:nodes"], "rolearn": "${admin}", "username": "${userName}"}`;

/** Spellings of the administrator's entry, in lists by lines. */
const spellings: readonly (readonly [string, string])[] = [
  ["as it is", entry(admin)],
  ["as the last of three", other + node(arnOf("node")) + entry(admin)],
  ["in capitals", entry(admin.toUpperCase())],
  ["with a name in capitals", entry(arnOf("ADMIN"))],
  ["with a letter that folds to another", entry(admin.replace("aws", "aw\u017f"))],
  ["in quotes", entry(`"${admin}"`)],
  ["in single quotes", entry(`'${admin}'`)],
  ["in braces", `- {rolearn: ${admin}, username: admin, groups: [system:masters]}\n`],
  ["in braces on one line with another", `- {rolearn: ${admin}, username: admin}\n${other}`],
  ["with a letter by its number", entry(`"${admin.replace("admin", "\\x61dmin")}"`)],
  ["with a letter by its long number", entry(`"${admin.replace("admin", "\\u0061dmin")}"`)],
  ["over two lines", entry(`"${admin.replace("admin", "\\\n    admin")}"`)],
  ["as a block of text", entry(`|-\n    ${admin}`)],
  ["as folded text", entry(`>-\n    ${admin}`)],
  ["by an alias", `- note: &arn ${admin}\n${entry("*arn")}`],
  ["before a comment", entry(`${admin} # the boss`)],
  ["below its own disabled entry", `# ${entry(admin).replaceAll("\n", "\n# ")}\n${entry(admin)}`],
  ["beside the comment that names it", entry(`${admin} # not ${admin}`)],
  [
    "after a text that looks like a comment",
    `- {note: "a\n    # b", rolearn: ${admin}, username: admin}\n`,
  ],
  ["with line breaks of Windows", entry(admin).replaceAll("\n", "\r\n")],
  ["with a node's entry before it", node(admin) + entry(admin)],
  ["by a merge", `- &base\n  rolearn: ${admin}\n  username: x\n- <<: *base\n  username: admin\n`],
  ["with the path of the role", entry(arnOf("team/admin"))],
  ["as a session of the role", entry(`arn:aws:sts::${account}:assumed-role/admin/i-0`)],
  ["of another account", entry(admin.replace(account, "999988887777"))],
  ["of a role with a longer name", entry(arnOf("admin-of-all"))],
  ["that is disabled", `${other}# ${entry(admin).trimEnd().replaceAll("\n", "\n# ")}\n`],
  ["that is disabled, as JSON", `${other}#  "rolearn": "${admin}"\n`],
  ["of somebody else, beside a command over two lines", `# kubectl \\\n#   edit\n${other}`],
  ["that a comment names", entry(`${arnOf("dev")} # not ${admin}`)],
  ["as a node already", node(admin)],
  ["as a node already, with the boss in a comment", node(admin, " # the boss")],
];

describe("a second entry for a role that is mapped already", () => {
  let cluster: JudgedCluster;
  const core = () => cluster.controlPlane.api(CoreV1Api);

  beforeAll(async () => {
    cluster = await JudgedCluster.start(account, ["admin", "dev"]);
    await fenceIn(cluster.controlPlane);
  });
  afterAll(async () => cluster.stop());

  /** Whom the authenticator takes the role's holder for: the administrator, a node or nobody. */
  async function taken(mapRoles: string): Promise<"an administrator" | "a node" | "nobody"> {
    await cluster.write(mapRoles);
    const verdict = (await cluster.verdicts()).get("admin") ?? "refused";
    if (verdict === "refused") return "nobody";
    return verdict.username.startsWith("system:node:") ? "a node" : "an administrator";
  }

  /** Lets the function write another text. */
  async function write(mapRoles: string): Promise<string> {
    const map = await core().readNamespacedConfigMap(place);
    const body = { ...map, data: { ...map.data, mapRoles } };
    return core()
      .replaceNamespacedConfigMap({ ...place, body }, asTheFunction)
      .then(() => "written", String);
  }

  it.each(spellings)(
    "is refused if the role is no node to the authenticator: %s",
    async (_, before) => {
      const role = await taken(before);
      const answer = await write(before + added);
      if (role === "an administrator")
        expect(answer).toContain("maps no role that is mapped already");
      else expect(answer).toBe("written");
    },
  );

  it.each([
    ["blanks around it", entry(`" ${admin} "`)],
    ["its slash escaped, as some write JSON", entry(`"${admin.replace("/", "\\/")}"`)],
  ])("is refused even if the authenticator does not read the ARN: %s", async (_, before) => {
    expect(await taken(before)).toBe("nobody");
    expect(await write(before + added)).toContain("maps no role that is mapped already");
  });

  it.each([
    ["JSON", JSON.stringify([{ rolearn: admin, username: "admin" }])],
    [
      "JSON with another",
      JSON.stringify([
        { rolearn: arnOf("node"), username: userName },
        { rolearn: admin, username: "admin" },
      ]),
    ],
    [
      "braces",
      `[{rolearn: ${admin}, username: admin}, {rolearn: ${arnOf("node")}, username: "${userName}"}]`,
    ],
    [
      "one line each",
      `[\n{rolearn: ${admin}, username: admin},\n{rolearn: ${arnOf("dev")}, username: dev}\n]`,
    ],
  ])("is refused in a list in brackets: %s", async (_, before) => {
    expect(await taken(before)).toBe("an administrator");
    const text = `${before.trimEnd().slice(0, -1)}, ${inBrackets}]`;
    expect(await write(text)).toContain("maps no role that is mapped already");
  });

  it("would make a node of the administrator, in whatever case the entry is written", async () => {
    expect(await taken(entry(admin))).toBe("an administrator");
    expect(await taken(entry(admin) + added)).toBe("a node");
    expect(await taken(entry(admin) + added.replace("role/admin", "role/ADMIN"))).toBe("a node");
  });
});
