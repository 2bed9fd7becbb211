import { CoreV1Api, type V1ConfigMap } from "@kubernetes/client-node";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { awsAuthEdit } from "../../lambda/domain/aws-auth/edit.ts";
import { nodeMapping } from "../../lambda/domain/launch/node-mapping.ts";
import type { Platform } from "../../lambda/domain/node/ec2-instance.ts";
import { ifThere } from "../contract/if-there.ts";
import { account, arnOf, readable, roleOf } from "../domain/aws-auth/corpus.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { fenceIn } from "./fences.ts";
import { asTheFunction, place } from "./function-identity.ts";

const userName = "system:node:{{EC2PrivateDNSName}}";
const [nodes, others, mapped, elsewhere, metadata, data] = [
  "adds nothing to mapRoles but nodes",
  "maps no role but those that nodes of this cluster may have",
  "maps no role that is mapped already",
  "writes no ConfigMap but kube-system/aws-auth",
  "changes no metadata of aws-auth",
  "changes nothing of aws-auth but mapRoles",
];

const admin = `- rolearn: ${arnOf("admin")}
  username: admin
  groups:
    - system:masters
`;
const disabled = `# - {rolearn: "${arnOf("evil")}", username: evil, groups: [system:masters]}\n`;
const entry = (role: string, group = "system:nodes", indent = "") =>
  `- groups:\n  - system:bootstrappers\n  - ${group}\n  rolearn: ${arnOf(role)}\n  username: ${userName}\n`.replace(
    /^/gm,
    indent,
  );
const owner = { apiVersion: "v1", kind: "Node", name: "x", uid: "x" };
const inBrackets = (role: string, group = "system:nodes") =>
  `{"groups": ["system:bootstrappers", "${group}"], "rolearn": "${arnOf(role)}", "username": "${userName}"}`;
const before = `${admin}${disabled}${entry("workers")}`;

function edited(mapRoles: string, platform: Platform): string {
  const edit = awsAuthEdit(mapRoles, nodeMapping(roleOf("node"), platform));
  return edit.kind === "edited" ? edit.text : "";
}

let controlPlane: ControlPlane;
const core = () => controlPlane.api(CoreV1Api);
const mapOf = (mapRoles: string): V1ConfigMap => ({ metadata: place, data: { mapRoles } });

beforeAll(async () => {
  controlPlane = await startControlPlane({ nodes: [] });
  await fenceIn(controlPlane);
  await controlPlane.apply(...tooMuch);
});
afterAll(async () => controlPlane.stop());
beforeEach(async () => {
  await ifThere(core().deleteNamespacedConfigMap(place));
});

/** The cluster's owner creates the map, and then the function changes it. */
async function changed(map: V1ConfigMap, change: (map: V1ConfigMap) => V1ConfigMap) {
  const made = await core().createNamespacedConfigMap({ ...place, body: map });
  return core().replaceNamespacedConfigMap({ ...place, body: change(made) }, asTheFunction);
}

const rewritten = (mapRoles: string) => (map: V1ConfigMap) => ({
  ...map,
  data: { ...map.data, mapRoles },
});

describe("the fence around aws-auth lets the function", () => {
  it.each(
    readable
      .flatMap((document) => [
        { ...document, platform: "linux" as const },
        { ...document, platform: "windows" as const },
      ])
      .filter(({ mapRoles, platform }) => edited(mapRoles, platform) !== ""),
  )("let in a $platform node: $name", async ({ mapRoles, platform }) => {
    const text = edited(mapRoles, platform);
    const { data: now } = await changed(mapOf(mapRoles), rewritten(text));
    expect(now).toEqual({ mapRoles: text });
  });

  it("let in a Windows node in the middle of 250 KB, if its role already is a Linux node's", async () => {
    const half = Array.from({ length: 870 }, (_, index) => entry(`role-${index}`)).join("");
    const mapRoles = half + entry("node") + half;
    const text = edited(mapRoles, "windows");
    expect(text.length).toBeGreaterThan(250_000);
    const { data: now } = await changed(mapOf(mapRoles), rewritten(text));
    expect(now).toEqual({ mapRoles: text });
  });

  it("let in a node at the end of 250 KB, if a comment there names its role", async () => {
    const many = Array.from({ length: 1740 }, (_, index) => entry(`role-${index}`)).join("");
    const mapRoles = `${many}# - rolearn: ${arnOf("node")}\n`;
    const text = edited(mapRoles, "linux");
    expect(text.length).toBeGreaterThan(250_000);
    const { data: now } = await changed(mapOf(mapRoles), rewritten(text));
    expect(now).toEqual({ mapRoles: text });
  });

  it("create the missing map with a node in it", async () => {
    const body = mapOf(edited("", "windows"));
    const made = await core().createNamespacedConfigMap({ ...place, body }, asTheFunction);
    expect(made.data).toEqual(body.data);
  });

  it("write the map unchanged", async () => {
    await expect(changed(mapOf(before), (map) => map)).resolves.toBeDefined();
  });
});

const [first = ""] = admin.split("\n");
const half = before.indexOf("  username: admin");
const at = (index: number, text: string) => before.slice(0, index) + text + before.slice(index);
const big = Array.from({ length: 5000 }, (_, index) => entry(`r-${index}`)).join("");
const lists = `[${inBrackets("workers")}]`;

describe("the fence around aws-auth refuses the function", () => {
  it.each<[string, string, string]>([
    ["an administrator", before, before + entry("evil", "system:masters")],
    ["an administrator in many", big, big + entry("evil", "system:masters")],
    ["an administrator in the middle of many", big, entry("evil", "system:masters") + big],
    ["an administrator in brackets", lists, `[${inBrackets("evil", "system:masters")}]`],
    [
      "one more in brackets",
      lists,
      `${lists.slice(0, -1)}, ${inBrackets("evil", "system:masters")}]`,
    ],
    [
      "an administrator by another spelling",
      before,
      before + entry("evil", '"system:\\x6dasters"'),
    ],
    ["an administrator by an alias", before, before + entry("evil", "*masters")],
    ["any group that is no node's", before, before + entry("evil", "deployers")],
    ["an administrator where there was nobody", "[]", entry("evil", "system:masters")],
    ["an administrator for nobody in brackets", "''", `[${inBrackets("x", "system:masters")}]`],
    ["another name", before, before + entry("evil").replace(userName, "admin")],
    ["a name of its choice", before, before + entry("evil").replace(userName, "system:node:n1")],
    ["a role of no account", before, before + entry("evil").replace(/arn:\S+/, "arn:x")],
    ["a node in place of somebody", "- {}\n", entry("node")],
    [
      "a node in place of no groups",
      "- {rolearn: x, groups: ''}\n",
      `- {rolearn: x, groups: [${inBrackets("node")}]}\n`,
    ],
    [
      "groups after the sign of a comment",
      before,
      at(before.indexOf("# - {") + 1, "- system:nodes\n"),
    ],
    [
      "groups, and the sign of a comment",
      before,
      at(before.indexOf("username: admin"), "- system:nodes\n# "),
    ],
    ["as much of something else", before, "x".repeat(entry("workers").length) + before],
    ["as much in brackets", lists, `${lists.slice(0, -1)}${"x".repeat(lists.length - 2)}]`],
    ["an entry without the end of its line", before, `${entry("node").slice(0, -1)} ${before}`],
    ["two at once", before, before + entry("one") + entry("two")],
    [
      "a node, and another role below",
      before,
      entry("node") + before.replace("role/workers", "role/evilers"),
    ],
    [
      "a node by brackets, and less below",
      `[${inBrackets("a")}, ${inBrackets("b")}]`,
      `[${inBrackets("c")}, ${inBrackets("b")}, x]`,
    ],
    ["another role for an administrator", before, before.replace("role/admin", "role/evil0")],
    ["another role, and a node", before, before.replace("role/admin", "role/evil") + entry("node")],
    ["groups that are taken away", before, before.replace("    - system:masters\n", "")],
    ["everybody taken away", before, ""],
    ["an entry for another", before, before.replace(entry("workers"), entry("node"))],
    ["an entry that is cut in two", before, at(half, entry("node"))],
    ["an entry that loses its groups", before, at(before.indexOf("    - system:m"), entry("node"))],
    ["one that takes over another's groups", before, at(first.length + 1, entry("node"))],
    ["a comment that comes to life", before, at(before.indexOf("# - {") + 2, "\n- system:nodes\n")],
    [
      "a comment that comes to life as one's own",
      before,
      at(before.indexOf("# - {") + 1, `\n${entry("n")}`),
    ],
    ["a line in the middle of another", before, at(8, entry("node"))],
    [
      "groups that wake up a comment",
      before,
      at(before.indexOf("{rolearn"), "\n  - system:nodes\n"),
    ],
    ["an entry that is no entry", before, before + entry("node", "system:nodes", "    ")],
    ["a first line that stands elsewhere", before, `${before} ${entry("node")}`],
    ["lines that are not its own", before, before + entry("node").replace("  rolearn", "rolearn")],
    [
      "a group that is no node's",
      before,
      at(before.indexOf("  - system:nodes"), "  - deployers\n"),
    ],
    ["a text of its own", before, `${before}- x\n`],
    ["a very long one", before, before + entry("x".repeat(3000))],
  ])("%s", async (_, mapRoles, text) => {
    await expect(changed(mapOf(mapRoles), rewritten(text))).rejects.toThrow(nodes);
  });

  const foreign = entry("node").replace(account, "999988887777");
  const foreignInBrackets = inBrackets("node").replace(account, "999988887777");
  const session = `arn:aws:sts::${account}:assumed-role/admin/i-0123456789abcdef0`;
  const boss = inBrackets("admin").replace(userName, "admin");

  it.each<[string, string, [before: string, after: string]]>([
    ["of another account", others, [before, before + foreign]],
    [
      "of another account, in brackets",
      others,
      [lists, `${lists.slice(0, -1)}, ${foreignInBrackets}]`],
    ],
    ["of another account, where there was nobody", others, ["[]", foreign]],
    [
      "of another partition",
      others,
      [before, before + entry("node").replace("arn:aws:", "arn:aws-cn:")],
    ],
    ["of a person, by SSO", others, [before, before + entry("AWSReservedSSO_Admin_0123456789")]],
    ["of an administrator", mapped, [before, before + entry("admin")]],
    ["of an administrator, in capitals", mapped, [before, before + entry("ADMIN")]],
    [
      "of an administrator in capitals",
      mapped,
      [
        before.replace("role/admin", "role/ADMIN"),
        entry("admin") + before.replace("role/admin", "role/ADMIN"),
      ],
    ],
    ["of an administrator, above their own entry", mapped, [before, entry("admin") + before]],
    ["of an administrator in brackets", mapped, [`[${boss}]`, `[${boss}, ${inBrackets("admin")}]`]],
    ["of an administrator among many", mapped, [big + admin, big + admin + entry("admin")]],
    ["by its session", nodes, [before, before + entry("node").replace(/arn:\S+/, session)]],
    ["by its path", nodes, [before, before + entry("team/node")]],
    ["of a user", nodes, [before, before + entry("node").replace(":role/", ":user/")]],
  ])("an entry for a role %s", async (_, why, [mapRoles, text]) => {
    await expect(changed(mapOf(mapRoles), rewritten(text))).rejects.toThrow(why);
  });

  it("an entry that it cannot judge within its cost limit", async () => {
    const many = Array.from({ length: 6900 }, (_, index) => entry(`role-${index}`)).join("");
    const escaped = `- {rolearn: "${arnOf("\\x61dmin")}", username: admin}\n`;
    const [before, after] = [many + escaped, many + escaped + entry("admin")];
    await expect(changed(mapOf(before), rewritten(after))).rejects.toThrow(/cost limit/);
  });

  it.each<[string, string | undefined, (map: V1ConfigMap) => V1ConfigMap]>([
    ["a user", data, (map) => ({ ...map, data: { ...map.data, mapUsers: "- userarn: x" } })],
    ["another user", data, (map) => ({ ...map, data: { ...map.data, mapAccounts: '- "2"' } })],
    [
      "an account taken away",
      data,
      ({ data: old, ...map }) => ({ ...map, data: { mapRoles: before } }),
    ],
    ["bytes", data, (map) => ({ ...map, binaryData: { other: "eA==" } })],
    ["that nobody may change it any more", data, (map) => ({ ...map, immutable: true })],
    ["a label", metadata, (map) => ({ ...map, metadata: { ...map.metadata, labels: { a: "b" } } })],
    [
      "an annotation",
      metadata,
      (map) => ({ ...map, metadata: { ...map.metadata, annotations: { a: "b" } } }),
    ],
    [
      "a finalizer",
      metadata,
      (map) => ({ ...map, metadata: { ...map.metadata, finalizers: ["example.com/x"] } }),
    ],
    [
      "an owner",
      metadata,
      (map) => ({
        ...map,
        metadata: {
          ...map.metadata,
          ownerReferences: [owner],
        },
      }),
    ],
  ])("%s", async (_, why, change) => {
    const map = { metadata: place, data: { mapRoles: before, mapAccounts: '- "1"' } };
    await expect(changed(map, change)).rejects.toThrow(why);
  });

  it.each<[string, string | undefined, V1ConfigMap]>([
    ["another map", elsewhere, { metadata: { ...place, name: "other" }, data: {} }],
    ["one elsewhere", elsewhere, { metadata: { ...place, namespace: "default" }, data: {} }],
    ["aws-auth with an administrator", nodes, mapOf(admin)],
    ["aws-auth with a user", data, { ...mapOf(entry("node")), data: { mapUsers: "- userarn: x" } }],
    ["aws-auth with bytes", data, { ...mapOf(entry("node")), binaryData: { x: "eA==" } }],
    ["aws-auth for ever", data, { ...mapOf(entry("node")), immutable: true }],
    ["aws-auth with a label", metadata, { metadata: { ...place, labels: { a: "b" } } }],
    ["aws-auth with an owner", metadata, { metadata: { ...place, ownerReferences: [owner] } }],
    ["aws-auth with a finalizer", metadata, { metadata: { ...place, finalizers: ["a.b/c"] } }],
  ])("a new one: %s", async (_, why, body) => {
    const namespace = body.metadata?.namespace ?? "";
    const made = core().createNamespacedConfigMap({ namespace, body }, asTheFunction);
    await expect(made).rejects.toThrow(why);
  });

  it("a change of another map", async () => {
    const other = { ...place, name: "kube-root-ca.crt" };
    const map = await core().readNamespacedConfigMap(other);
    const body = { ...map, data: { ...map.data, more: "x" } };
    const written = core().replaceNamespacedConfigMap({ ...other, body }, asTheFunction);
    await expect(written).rejects.toThrow(elsewhere);
  });
});

// Without the fence, these rights would allow everything that it refuses.
const group = "rbac.authorization.k8s.io";
const tooMuch = [
  {
    apiVersion: `${group}/v1`,
    kind: "ClusterRole",
    metadata: { name: "too-much" },
    rules: [
      { apiGroups: [""], resources: ["configmaps"], verbs: ["*"] },
      // To create an owner reference that blocks, a caller must be allowed to change the owner's
      // finalizers.
      { apiGroups: [""], resources: ["*/finalizers"], verbs: ["*"] },
    ],
  },
  {
    apiVersion: `${group}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name: "too-much" },
    roleRef: { apiGroup: group, kind: "ClusterRole", name: "too-much" },
    subjects: [{ apiGroup: group, kind: "Group", name: "eks-node-lifecycle" }],
  },
];
