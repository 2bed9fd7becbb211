import { type RoleArn, tryRoleArn } from "../../../lambda/domain/launch/role-arn.ts";
/** A text of `mapRoles`, common or odd, and the result of adding the role `node` to it. */
export interface NastyDocument {
  readonly name: string;
  readonly mapRoles: string;
  /** The result of the edit that adds the role `node` for Linux. */
  readonly edit: "edited" | "already" | "taken";
}

/** The account of all roles of the corpus. */
export const account = "111122223333";

/** The ARN of a role of the corpus. */
export const arnOf = (role: string): string => `arn:aws:iam::${account}:role/${role}`;

/** The role of the corpus that has this name. */
export function roleOf(name: string): RoleArn {
  const role = tryRoleArn(arnOf(name));
  if (role === undefined) throw new Error(`${name} is no role's name`);
  return role;
}

const edited = (name: string, mapRoles: string): NastyDocument => ({
  name,
  mapRoles,
  edit: "edited",
});

const admin = `- rolearn: ${arnOf("admin")}
  username: admin
  groups:
    - system:masters
`;
const dev = `- {rolearn: "${arnOf("dev")}", username: "dev:{{SessionName}}", groups: [developers]}`;
const nodeName = "system:node:{{EC2PrivateDNSName}}";
const managed = (role: string): string => `- groups:
  - system:bootstrappers
  - system:nodes
  rolearn: ${arnOf(role)}
  username: ${nodeName}
`;
/** The text of a map of thousands of roles, cut off after a whole entry. */
export function bigMap(mostCharacters: number): string {
  const big = Array.from({ length: 6000 }, (_, at) => managed(`generated-${at}`)).join("");
  return big.slice(0, big.lastIndexOf("- groups", mostCharacters));
}

const empties: readonly NastyDocument[] = [
  ["nothing", ""],
  ["single quotes", "''"],
  ["double quotes", '""'],
  ["two backticks", "``"],
  ["brackets", "[]"],
  ["braces", "{}"],
  ["null", "null"],
  ["a tilde", "~\n"],
  ["blanks", "  \n \n"],
  ["brackets with a blank and a line break", "[ ]\n"],
  ["a comment", "# nobody yet"],
  ["a comment and a line break", "# nobody yet\n"],
  ["brackets and a comment", "[] # nobody yet\n"],
  ["brackets around a comment", "[ # nobody yet\n]\n"],
  ["quotes and a comment", "'' # nobody yet\n"],
  ["null after a comment", "# nobody yet\nnull\n"],
  ["the beginning of a document", "---\n"],
  ["the beginning of a document, then a comment", "--- # nobody\n"],
  ["a document that ends", "---\n# nobody\n...\n"],
].map(([name = "", text = ""]) => edited(`empty: ${name}`, text));

const lists: readonly NastyDocument[] = [
  edited("a list as kubectl writes it", admin),
  edited("a list as managed node groups write it", managed("managed")),
  edited("an indented list", admin.replace(/^/gm, "    ").trimEnd()),
  edited("no final line break", admin.trimEnd()),
  edited("blank lines at the end", `${admin}\n\n\n`),
  edited("spaces at the ends of lines", admin.replaceAll("\n", "  \n")),
  edited("a last line of blanks", `${admin}     `),
  edited("line breaks of Windows", `${admin}${dev}\n`.replaceAll("\n", "\r\n")),
  edited("line breaks of Windows, none at the end", admin.trimEnd().replaceAll("\n", "\r\n")),
  edited("a byte order mark", `\ufeff${admin}`),
  edited("a document's beginning", `---\n${admin}`),
  edited("a document's end", `${admin}...\n`),
  edited("several documents", `${admin}---\n${managed("second-document")}`),
  edited("several documents, the first empty", `---\n---\n${admin}`),
  edited("empty items", `-\n${admin}- null\n- ~\n`),
  edited("items that are not entries", `- just text\n- 42\n- [a, b]\n${admin}`),
  edited("an entry without a role", `- username: nobody\n  groups: [a]\n${admin}`),
  edited("unknown keys", `${admin}  note: |\n    two\n    lines\n  owner: {team: a}\n`),
  edited(
    "texts of several lines",
    `${admin}  note: >-\n    folded\n    text\n\n  more: "a\n    b"\n`,
  ),
  edited("a text that keeps its line breaks at the end", `${admin}  note: |+\n    kept\n\n\n`),
  edited("tabs in texts", `${admin}  note: "a\tb"\n  plain: a\tb\n  block: |\n    a\tb\n`),
  edited("the same key twice", `${admin}  username: admin\n`),
  edited("keys in capitals", `- RoleARN: ${arnOf("admin")}\n  USERNAME: admin\n  Groups: [a]\n`),
  edited(
    "quoted keys",
    `- "rolearn": '${arnOf("admin")}'\n  'username': "admin"\n  groups: ["a"]\n`,
  ),
  edited("an ARN in capitals", admin.replace("role/admin", "role/ADMIN")),
  edited("a role with its path", admin.replace("role/admin", "role/team/admin") + dev),
  edited("the node's role with its path", admin.replace("role/admin", "role/team/node")),
  edited("one role twice", `${admin}${admin.replaceAll("system:masters", "viewers")}`),
  edited(
    "a role of SSO",
    `- sso:\n    permissionSetName: Admin\n    accountID: "${account}"\n  username: x\n  groups: [a]\n${admin}`,
  ),
  edited(
    "groups that are not a list",
    admin.replace(/groups:.*/s, "groups: system:masters\n") + dev,
  ),
  edited("empty groups", admin.replace(/groups:.*/s, "groups:\n") + dev),
  edited("250 KB", bigMap(250_000)),
];

const comments: readonly NastyDocument[] = [
  edited("comments everywhere", `# head\n${admin.replaceAll("\n", " # why\n")}# foot\n`),
  edited("a disabled entry at the end", `${admin}# ${dev}\n`),
  edited("an indented comment at the end", `${admin}    # of the last group\n`),
  edited("a comment at the end without a line break", `${admin}# foot`),
  edited("comments between entries", `${admin}\n  # indented\n\n# not\n${dev}\n`),
  edited("a comment that looks like an end", `${admin}# ---\n# ...\n`),
];

const anchors: readonly NastyDocument[] = [
  edited(
    "an anchor and its alias",
    `${admin.replace("groups:", "groups: &masters")}- rolearn: ${arnOf("dev")}\n  username: dev\n  groups: *masters\n`,
  ),
  edited(
    "a merged entry",
    `- &base\n  rolearn: ${arnOf("admin")}\n  username: admin\n  groups: [a]\n- <<: *base\n  rolearn: ${arnOf("dev")}\n`,
  ),
  edited("an anchored list", `&list\n${admin}`),
  edited(
    "an alias as an entry",
    `- &one {rolearn: "${arnOf("admin")}", username: admin, groups: [a]}\n- *one\n`,
  ),
];

const brackets: readonly NastyDocument[] = [
  edited("a list in brackets", `[{rolearn: "${arnOf("admin")}", username: admin, groups: [a, b]}]`),
  edited("JSON", JSON.stringify([{ rolearn: arnOf("admin"), username: "admin", groups: ["a"] }])),
  edited(
    "JSON on several lines",
    `${JSON.stringify([{ rolearn: arnOf("admin"), username: "admin", groups: ["a"] }], null, 2)}\n`,
  ),
  edited(
    "JSON with tabs",
    JSON.stringify([{ rolearn: arnOf("admin"), username: "admin", groups: ["a"] }], null, "\t"),
  ),
  edited(
    "a comma after the last item",
    `[\n  {rolearn: "${arnOf("admin")}", username: admin, groups: [a]}, # why\n]\n`,
  ),
  edited(
    "a comment before the bracket",
    `[\n  {rolearn: "${arnOf("admin")}", username: admin, groups: [a]} # why\n] # foot\n`,
  ),
  edited(
    "groups in brackets that close below",
    admin.replace(/groups:.*/s, "groups: [\n    a,\n    b\n  ]\n"),
  ),
  edited("entries in braces", `${dev}\n${dev.replace("role/dev", "role/ops")}`),
];

const known: readonly NastyDocument[] = [
  { name: "the role is there", mapRoles: managed("node"), edit: "already" },
  { name: "the role is there in capitals", mapRoles: managed("NODE"), edit: "already" },
  {
    name: "the role is there with additional groups",
    mapRoles: managed("node").replace("system:nodes", "system:nodes\n  - more"),
    edit: "already",
  },
  {
    name: "the role is there with the session name",
    mapRoles: managed("node").replace("EC2PrivateDNSName", "SessionName"),
    edit: "already",
  },
  edited("a group is missing", managed("node").replace("  - system:bootstrappers\n", "")),
  edited(
    "a group is missing before a comment",
    managed("node").replace("  - system:nodes\n", "  # more to come\n"),
  ),
  edited(
    "a group is missing in brackets",
    `- rolearn: ${arnOf("node")}\n  groups: [system:nodes, ] # why\n  username: ${nodeName}`,
  ),
  edited(
    "all groups are missing",
    `- rolearn: ${arnOf("node")}\n  groups: []\n  username: ${nodeName}\n`,
  ),
  edited("there are no groups", `- rolearn: ${arnOf("node")}\n  username: ${nodeName}\n${dev}\n`),
  edited(
    "a group is missing in a list that belongs to another entry",
    `- rolearn: ${arnOf("dev")}\n  username: dev\n  groups: &shared [system:nodes]\n- rolearn: ${arnOf("node")}\n  username: ${nodeName}\n  groups: *shared\n`,
  ),
  edited(
    "a group is missing in a list that another entry refers to",
    `- rolearn: ${arnOf("node")}\n  username: ${nodeName}\n  groups: &shared [system:nodes]\n- rolearn: ${arnOf("dev")}\n  username: dev\n  groups: *shared\n`,
  ),
  edited(
    "the last of two entries lacks a group",
    managed("node") + managed("NODE").replace("  - system:bootstrappers\n", ""),
  ),
  {
    name: "the last of two entries has all groups",
    mapRoles: managed("node").replace("  - system:nodes\n", "") + managed("NODE"),
    edit: "already",
  },
  {
    name: "the role is mapped to somebody else",
    mapRoles: admin.replace("role/admin", "role/node"),
    edit: "taken",
  },
  {
    name: "the role is mapped to no username",
    mapRoles: `- rolearn: ${arnOf("node")}\n  groups: [a]\n`,
    edit: "taken",
  },
];

/** All documents that the function can read. */
export const readable: readonly NastyDocument[] = [
  ...empties,
  ...lists,
  ...comments,
  ...anchors,
  ...brackets,
  ...known,
];
