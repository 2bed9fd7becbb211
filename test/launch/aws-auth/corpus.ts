import { type RoleArn, tryRoleArn } from "../../../lambda/base/role-arn.ts";
import type { AwsAuthEdit } from "../../../lambda/launch/aws-auth/edit.ts";

/** A kind of text of `mapRoles` that people have. */
export interface Kind {
  readonly name: string;
  readonly mapRoles: string;
  /** What an edit is that maps the role `node` of Linux. */
  readonly is: AwsAuthEdit["kind"];
  /** What the reason of a refusal has; empty where there is none. */
  readonly why: RegExp;
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

const nodeName = "system:node:{{EC2PrivateDNSName}}";

/** An administrator, as somebody writes it by hand. */
export const admin = `- rolearn: ${arnOf("admin")}
  username: admin
  groups:
    - system:masters
`;

/** A node's role, as EKS, eksctl and managed node groups write it. */
export const managed = (role: string): string => `- groups:
  - system:bootstrappers
  - system:nodes
  rolearn: ${arnOf(role)}
  username: ${nodeName}
`;

const terraform = (text: string): string => text.replace(/[a-z]\S*[^\s:]/g, '"$&"');
const items = [
  { rolearn: arnOf("admin"), username: "admin", groups: ["system:masters"] },
  { rolearn: arnOf("old"), username: nodeName, groups: ["system:bootstrappers", "system:nodes"] },
];
// As Go's encoder writes it, which Terraform uses.
const terraformJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[<>&]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`);
const adminIn = (groups: string) => admin.replace(/groups:.*/s, `groups: ${groups}\n`);
const onOwnLine = (text: string) => text.replace(/: (?=arn)/, ": >-\n    ");
const inBraces = `- {rolearn: "${arnOf("dev")}", username: dev, groups: [developers]}\n`;

/** The text of a map of hundreds of roles, cut off after a whole entry. */
export function bigMap(mostCharacters: number): string {
  const big = Array.from({ length: 6000 }, (_, at) => managed(`generated-${at}`)).join("");
  return big.slice(0, big.lastIndexOf("- groups", mostCharacters));
}

const kinds = (is: Kind["is"], why: RegExp, texts: Record<string, string>): readonly Kind[] =>
  Object.entries(texts).map(([name, mapRoles]) => ({ name, mapRoles, is, why }));

const appended = kinds("edited", /^/, {
  nothing: "",
  blanks: "  \n \n",
  "an empty list, as eksctl and Terraform leave it": "[]\n",
  "an empty list with blanks": " [ \n ]\n",
  "null, as a template without roles leaves it": "null\n",
  "null as a word of its own": "\r\n NULL ",
  "null as a tilde": "~",
  "a comment alone": "# nobody yet\n",
  "a comment alone without a line break": "# nobody yet",
  "comments alone": "\n  # nobody yet\n\n# - rolearn: x\n#   groups: [a]\n    # -\n",
  "comments of Windows alone": "# nobody yet\r\n\r\n#\r\n",
  "a comment alone that ends with a dash": "# nobody yet -",
  "an indented comment alone that ends with a dash": "  # nobody\n  # yet ---\n  ",
  "eksctl, managed node groups": managed("old") + managed("older"),
  "eksctl, an administrator": `- groups:\n  - system:masters\n  rolearn: ${arnOf("admin")}\n  username: admin\n${managed("old")}`,
  "Terraform, yamlencode": terraform(managed("old") + admin),
  "Terraform, jsonencode": JSON.stringify(items),
  "Terraform, jsonencode of optional attributes": terraformJson([
    { ...items[0], sso: null, groups: ["R&D", "a->b", "<c>"] },
    { username: null, rolearn: arnOf("x"), on: true, off: false, n: -12 },
  ]),
  "JSON with words on several lines": JSON.stringify(
    [{ a: null, b: [1, true] }, null, {}],
    null,
    2,
  ),
  "CDK, JSON on one line": JSON.stringify(items.toReversed()),
  "JSON on several lines": `${JSON.stringify(items, null, 2)}\n`,
  "JSON with tabs": JSON.stringify(items, null, "\t"),
  "JSON of Windows": JSON.stringify(items, null, 2).replaceAll("\n", "\r\n"),
  "Pulumi, texts on a line of their own": onOwnLine(admin),
  "Ansible, four blanks": admin.replace("- rolearn", "-   rolearn").replace(/^ {2}/gm, "    "),
  "kubectl edit": admin + managed("old"),
  "an indented list": admin.replace(/^/gm, "    ").trimEnd(),
  "no final line break": admin.trimEnd(),
  "blank lines at the end": `${admin}\n\n\n`,
  "blank lines between": `\n${admin}\n${managed("old")}`,
  "blanks at the ends of lines": admin.replaceAll("\n", "  \n"),
  "a last line of blanks": `${admin}     `,
  "line breaks of Windows": (admin + managed("old")).replaceAll("\n", "\r\n"),
  "line breaks of Windows, none at the end": admin.trimEnd().replaceAll("\n", "\r\n"),
  "comments everywhere": `# head\n${admin.replaceAll("\n", " # why\n")}  # foot\n`,
  "comments as people write them": `# do not edit!\n# -> the wiki & "more", it's *here*: {x}\n${admin}# | see > \\\\ \u00e9 \u2192\n`,
  "a comment at the end without a line break": `${admin}# foot`,
  "an entry that is disabled": `${admin}# ${inBraces}`,
  "a comment that looks like an end": `${admin}# ---\n# ...\n`,
  "values in brackets": adminIn("[system:masters, a:b]"),
  "values in brackets and quotes": adminIn(`["system:masters", 'a b']`),
  "no groups": adminIn("[]"),
  "quotes of both kinds": `- "rolearn": '${arnOf("admin")}'\n  'username': "admin"\n  groups: ["a"]\n`,
  "a name with blanks": admin.replace(": admin", ": Jane Doe").replace("system:", "Domain "),
  "keys in capitals": `- RoleARN: ${arnOf("admin")}\n  USERNAME: admin\n  Groups: [a]\n`,
  "IAM Identity Center": `- sso:\n    permissionSetName: Admin\n    accountID: "${account}"\n  username: x\n  groups: [a]\n${admin}`,
  "Windows nodes": managed("old").replace("  rolearn", "  - eks:kube-proxy-windows\n  rolearn"),
  Fargate: managed("x")
    .replace("nodes", "nodes\n  - a")
    .replace(/EC2\w+/, "SessionName"),
  "entries of JSON in lines": items.map((item) => `- ${JSON.stringify(item)}\n`).join(""),
  "one role twice": admin + admin.replaceAll("system:masters", "viewers"),
  "a longer name": managed("node-2") + managed("my-node"),
  "items that are no entries": `- just text\n- 42\n-\n- []\n${admin}`,
  "an entry without a role": `- username: nobody\n  groups: [a]\n${admin}`,
  "as many roles as fit": bigMap(99_000),
});

const plain = /belongs neither to a plain list of entries nor to JSON$/;
const refused = kinds("unreadable", plain, {
  "braces without quotes": admin + inBraces,
  "brackets without quotes": `[{rolearn: "${arnOf("admin")}", username: admin, groups: [a, b]}]`,
  "JSON with a comma after the last item": JSON.stringify(items).replace(/\]$/, ",]"),
  "JSON and a comment": `${JSON.stringify(items)} # foot\n`,
  "JSON with a fraction": JSON.stringify([...items, { n: 1.5 }]),
  "JSON with a number that readers round": `[{"n": 9007199254740993}]`,
  "JSON with a quote in a word": `[{"a": null "}, # "}\n]`,
  "JSON with a longer word": `[{"a": null true, "b": nullx}]`,
  "JSON with a key twice": `[{"rolearn": "x", "rolearn": "y"}]`,
  "JSON with an escape": JSON.stringify([{ rolearn: arnOf("admin"), username: 'a"b' }]),
  "JSON that ends too early": `${JSON.stringify(items)} ${JSON.stringify(items)}`,
  "the beginning of a document": `---\n${admin}`,
  "the end of a document": `${admin}...\n`,
  "several documents": `${admin}---\n${managed("second-document")}`,
  "a directive": `%YAML 1.1\n---\n${admin}`,
  "a tag": admin.replace("username: ", "username: !!str "),
  "an administrator in base64": admin.replace(/arn:aws.*/, `!!binary ${btoa(arnOf("admin"))}`),
  "an anchor and its alias": `${admin.replace("groups:", "groups: &a")}- rolearn: ${arnOf("dev")}\n  groups: *a\n`,
  "a merged entry": `- &base\n  rolearn: ${arnOf("admin")}\n- <<: *base\n  username: x\n`,
  "an anchored list": `&list\n${admin}`,
  "a list that is tagged": `!!seq\n${admin}`,
  "a block of text at the end": `${admin}  note: |\n    no line break`,
  "a block of text that keeps its line breaks": `${admin}  note: |+\n    kept\n\n\n`,
  "an escape": admin.replace(arnOf("admin"), `"${arnOf("\\x61dmin")}"`),
  "a text over two lines": admin.replace("role/admin", "role/\n    admin"),
  "a text in quotes over two lines": admin.replace(": admin", ': "a\n    b"'),
  "brackets over several lines": adminIn("[\n    a,\n    b\n  ]"),
  "an apostrophe": admin.replace(": admin", ": it's"),
  "a quote that is not closed": `${admin}- rolearn: "x\n`,
  "a bracket that is not closed": `${admin}- {"rolearn": "x"\n`,
  "a tab that indents": `${admin}\t- rolearn: x\n`,
  "a tab after a dash": admin.replace("- system", "-\tsystem"),
  "a key after a key": admin.replace(": admin", ': "admin":'),
  "the same key twice": `${admin}  username: admin\n`,
  "a key that is null": `${admin}  null: x\n`,
  "a value on deeper lines of another": `${admin}    more: x\n`,
  "a text that ends further left": admin.replace(/: arn.*/, `: >-\n    ${arnOf("admin")}\nadmin`),
  "a wrong indentation": `${admin} - rolearn: x\n`,
  "a list that ends before the text": `  - rolearn: x\nrolearn: y\n`,
  "two spellings of one field": `${admin}  Groups: [a]\n`,
  "a question mark": `${admin}  ? note\n  : x\n`,
  "a map": `# head\nrolearn: x\nusername: admin\n`,
  "a text": "none",
  "two quotes": '""',
  "null and a comment": "null # nobody yet\n",
  "a comment and an empty list": "# nobody yet\n[]\n",
  "a text that begins as null does": "nullx\n",
  "a conflict of Git": `<<<<<<< ours\n${admin}>>>>>>> theirs\n`,
});

const folded = /^line [1-6] has the character U\+(?:FEFF|2028|0085|017F|0007)$/;
const strange = kinds("unreadable", folded, {
  "a byte order mark": `\ufeff${admin}`,
  "a line break of Unicode in a comment": `${admin}# \u2028${admin}`,
  "a line break of mainframes in a comment": `${admin}# \u0085${admin}`,
  "a letter that folds to another": admin.replace("aws", "aw\u017f"),
  "a control character": `${admin}  note: "\u0007"\n`,
});

const known: readonly Kind[] = [
  ...kinds("already", /^/, {
    "the role is there": managed("node"),
    "the role is there in JSON": JSON.stringify([{ ...items[1], rolearn: arnOf("node") }]),
    "the role is there as Terraform writes it": terraform(managed("node")),
    "the role is there on a line of its own": onOwnLine(managed("node")),
    "the role is there in capitals": managed("NODE"),
    "the role is there with more groups": managed("node").replace("nodes", "nodes\n  - more"),
    "the role is there with the session name": managed("node").replace(/EC2\w+/, "SessionName"),
    "the last of two entries has all groups":
      managed("node").replace("  - system:nodes\n", "") + managed("NODE"),
  }),
  ...kinds("lacking", /^/, {
    "a group is missing": managed("node").replace("  - system:bootstrappers\n", ""),
    "all groups are missing": managed("node").replace(/:\n {2}- .*\n {2}- .*/, ": []"),
    "the last of two entries lacks a group":
      managed("node") + managed("NODE").replace("  - system:bootstrappers\n", ""),
  }),
  ...kinds("taken", /^/, {
    "the role is mapped to somebody else": admin.replace("role/admin", "role/node"),
    "the role is mapped to no username": `- rolearn: ${arnOf("node")}\n  groups: [a]\n`,
  }),
  ...kinds("unreadable", /^line \d+ names the role, but does not map it$/, {
    "a comment names the role": `${admin}# - rolearn: ${arnOf("NODE")}\n`,
    "the role is there with its path": managed("team/node"),
    "the role is there for another account": managed("node").replace(account, "999988887777"),
    "the role is there by IAM Identity Center too": `${managed("node")}  sso: {"accountID": "x"}\n`,
    "a session of the role": admin.replace(
      /arn:aws.*/,
      `arn:aws:sts::${account}:assumed-role/node/i-0`,
    ),
  }),
  ...kinds("unreadable", /characters are more than the 100000/, {
    "more roles than fit": bigMap(262_144),
  }),
];

/** The kinds of text that people have. */
export const corpus: readonly Kind[] = [...appended, ...refused, ...strange, ...known];

/** The texts of some kinds. */
export const textsOf = (...is: readonly Kind["is"][]): readonly Kind[] =>
  corpus.filter((kind) => is.includes(kind.is));
