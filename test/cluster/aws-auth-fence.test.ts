import { setTimeout } from "node:timers/promises";
import {
  CoreV1Api,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
  type V1ManagedFieldsEntry,
} from "@kubernetes/client-node";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { tryRoleArn } from "../../lambda/base/role-arn.ts";
import type { Platform } from "../../lambda/group/ec2-instance.ts";
import { awsAuthEdit } from "../../lambda/launch/aws-auth/edit.ts";
import { mappingJson } from "../../lambda/launch/aws-auth/text.ts";
import { nodeMapping } from "../../lambda/launch/node-mapping.ts";
import { ifThere } from "../contract/if-there.ts";
import {
  account,
  admin,
  arnOf,
  bigMap,
  managed,
  roleOf,
  textsOf,
} from "../launch/aws-auth/corpus.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { forgeries, tenLabels, tiedRecords } from "./crowded-records.ts";
import { fenceIn, fences } from "./fences.ts";
import { asMemberOf, asTheFunction, place } from "./function-identity.ts";

const userName = "system:node:{{EC2PrivateDNSName}}";
const [nodes, plain, mapped, owners, elsewhere, metadata, data] = [
  "appends nothing to mapRoles but one entry, for a role of nodes of this cluster",
  "appends to no mapRoles but a plain list of entries or JSON",
  "maps no role that mapRoles names already",
  "changes no owner of a field of aws-auth, but of mapRoles",
  "writes no ConfigMap but kube-system/aws-auth",
  "changes no metadata of aws-auth",
  "changes nothing of aws-auth but mapRoles",
];

const disabled = `# - {rolearn: "${arnOf("evil")}", username: evil, groups: [system:masters]}\n`;
const entry = (role: string, group = "system:nodes") =>
  managed(role).replace("system:nodes", group);
const inBrackets = (role: string, group = "system:nodes") =>
  mappingJson(nodeMapping(roleOf(role), "linux")).replace("system:nodes", group);
const before = `${admin}${disabled}${entry("workers")}`;

function edited(mapRoles: string, platform: Platform): string {
  const edit = awsAuthEdit(mapRoles, nodeMapping(roleOf("node"), platform));
  return edit.kind === "edited" ? edit.text : "";
}

const patience = { timeout: 60_000, interval: 250 };
const asAdministrator = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);

// The reasons of readers that differ, but for columns and keys, which the fence does not read: what is wrong there stays so.
const unlike = /belongs|the character/;
const later =
  /^(?:JSON|the same key|a key (?:that|after)|a value on|a wrong|two spellings|a text (?:over|that))/;

let controlPlane: ControlPlane;
const core = () => controlPlane.api(CoreV1Api);
const mapOf = (mapRoles: string): V1ConfigMap => ({ metadata: place, data: { mapRoles } });

beforeAll(async () => {
  controlPlane = await startControlPlane({ nodes: [] });
  await fenceIn(controlPlane, { nodeRoles: ["node", "one.a+b", "evil", "admin"].map(roleOf) });
  await controlPlane.apply(role, binding);
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

const nextSecond = () => setTimeout(1100);

/** A map that twelve have updated, the last two of them later than the others. */
async function crowd(): Promise<V1ConfigMap> {
  await core().createNamespacedConfigMap({ ...place, body: mapOf(before) });
  for (const index of Array.from({ length: 12 }).keys()) {
    const key = `by-${String.fromCharCode(97 + index)}`;
    const body =
      index % 2 === 0 ? { metadata: { labels: { [key]: "x" } } } : { data: { [key]: "x" } };
    if (index === 10) await nextSecond();
    const by = { ...place, body, fieldManager: `operator-${index}` };
    await core().patchNamespacedConfigMap(by, asAdministrator);
  }
  await nextSecond();
  return core().readNamespacedConfigMap(place);
}

/** A map with these records of who manages its fields. */
async function recorded(managedFields: readonly object[]): Promise<V1ConfigMap> {
  const metadata = { ...place, labels: tenLabels };
  await core().createNamespacedConfigMap({ ...place, body: { ...mapOf(before), metadata } });
  const body = { metadata: { managedFields } };
  return core().patchNamespacedConfigMap({ ...place, body }, asAdministrator);
}

/** The function lets in a node. */
const letIn = (map: V1ConfigMap, query: { readonly dryRun?: "All" } = {}) => {
  const body = rewritten(edited(before, "linux"))(map);
  return core().replaceNamespacedConfigMap({ ...place, ...query, body }, asTheFunction);
};

describe("the fence around aws-auth lets the function", () => {
  it.each(
    textsOf("edited").flatMap((kind) => [
      { ...kind, platform: "linux" as const },
      { ...kind, platform: "windows" as const },
    ]),
  )("let in a $platform node: $name", async ({ mapRoles, platform }) => {
    const text = edited(mapRoles, platform);
    const { data: now } = await changed(mapOf(mapRoles), rewritten(text));
    expect(now).toEqual({ mapRoles: text });
  });

  it.each([
    ["in lines", bigMap(99_800)],
    ["in indented lines", bigMap(90_000).replace(/^(?=.)/gm, " ".repeat(2))],
    [
      "in JSON",
      JSON.stringify(
        Array.from({ length: 900 }, (_, at) => ({ rolearn: arnOf(`${"r".repeat(60)}${at}`) })),
      ),
    ],
    ["of comments", `${admin}${"# \u00e9 ".repeat(24_500)}\n`],
    ["of blanks", `${admin}${" ".repeat(99_000)}`],
  ])("let in a node in almost as much as the function edits, %s", async (_, mapRoles) => {
    const text = edited(mapRoles, "windows");
    expect(text.length).toBeGreaterThan(95_000);
    const { data: now } = await changed(mapOf(mapRoles), rewritten(text));
    expect(now).toEqual({ mapRoles: text });
  });

  it("create the missing map with a node in it", async () => {
    const body = mapOf(edited("", "windows"));
    const made = await core().createNamespacedConfigMap({ ...place, body }, asTheFunction);
    expect(made.data).toEqual(body.data);
  });

  it("let in a node where more than ten have updated the map, whose records the API server puts together", async () => {
    const crowded = await crowd();
    const text = edited(before, "linux");
    const now = await core().replaceNamespacedConfigMap(
      { ...place, body: rewritten(text)(crowded) },
      asTheFunction,
    );
    expect(now.data).toMatchObject({ mapRoles: text });
    const managers = now.metadata?.managedFields?.map(({ manager }) => manager) ?? [];
    expect(managers).toEqual(expect.arrayContaining(["ancient-changes", "eks-node-lifecycle"]));
    expect(managers).not.toContain("operator-2");
  });

  it("let in a node where the API server forgets what it has put together itself, behind a name of the same second", async () => {
    const { metadata, data: now } = await letIn(await recorded(tiedRecords("v1")));
    expect(now).toEqual({ mapRoles: edited(before, "linux") });
    const managers = metadata?.managedFields?.map(({ manager }) => manager);
    expect(managers).not.toContain("ancient-changes");
    expect(managers).toContain("Go-http-client");
  });

  it.each([
    ["of entries", before],
    ["of a form that it appends nothing to", "x: y\n"],
  ])("write a map %s unchanged", async (_, mapRoles) => {
    await expect(changed(mapOf(mapRoles), (map) => map)).resolves.toBeDefined();
  });

  it("let in a node where others have written all else of the map", async () => {
    const metadata = { ...place, labels: { a: "b" }, annotations: { a: "b" }, finalizers: [held] };
    const data = { mapRoles: before, mapUsers: "- userarn: x\n" };
    const map = { metadata, data, binaryData: { other: "eA==" } };
    const text = edited(before, "linux");
    const now = await changed(map, rewritten(text));
    await core().patchNamespacedConfigMap({ ...place, body: released }, asAdministrator);
    expect(now.data).toEqual({ ...data, mapRoles: text });
  });
});

const held = "example.com/held";
const released = { metadata: { finalizers: null } };
const more = { mapRoles: before, mapAccounts: '- "1"' };
const owner = { apiVersion: "v1", kind: "Node", name: "x", uid: "x" };
const odd: readonly (readonly [string, V1ConfigMap["metadata"]])[] = [
  ["a label", { labels: { a: "b" } }],
  ["an annotation", { annotations: { a: "b" } }],
  ["a finalizer", { finalizers: ["example.com/x"] }],
  ["an owner", { ownerReferences: [owner] }],
];
const lists = `[${inBrackets("workers")}]`;
const evil = before.replace("role/admin", "role/evil0");

describe("the fence around aws-auth refuses the function", () => {
  it("to have the latest of more than ten forgotten, by the name that the API server gives to the oldest", async () => {
    const crowded = await crowd();
    const all = crowded.metadata?.managedFields ?? [];
    const ancient = all.find(({ manager }) => manager === "ancient-changes");
    const latest = all.find(({ manager }) => manager === "operator-11");
    const { "f:data": data, ...others } = Object(ancient?.fieldsV1);
    const fieldsV1 = { ...others, "f:data": { ...data, ...Object(latest?.fieldsV1)["f:data"] } };
    expect(Object.keys(fieldsV1["f:data"])).toContain("f:by-l");
    const kept = all.filter((one) => one !== ancient && one !== latest);
    const managedFields = [...kept, { ...ancient, fieldsV1 }];
    const forged = { ...crowded, metadata: { ...crowded.metadata, managedFields } };
    const body = rewritten(edited(before, "linux"))(forged);
    const asked = core().replaceNamespacedConfigMap({ ...place, body }, asTheFunction);
    await expect(asked).rejects.toThrow(owners);
  });

  it.each(forgeries)("an edit that $what", async ({ before: records, forge }) => {
    const map = await recorded(records("v1", { "f:data": { "f:mapRoles": {} } }));
    await letIn(map, { dryRun: "All" });
    const managedFields = forge(map.metadata?.managedFields ?? []);
    const forged = { ...map, metadata: { ...map.metadata, managedFields } };
    await expect(letIn(forged)).rejects.toThrow(owners);
  });

  it.each<[string, string, string]>([
    ["an administrator", before, before + entry("evil", "system:masters")],
    ["an administrator in JSON", lists, `[${inBrackets("evil", "system:masters")}]`],
    ["any group that is no node's", before, before + entry("evil", "deployers")],
    ["an administrator where there was nobody", "[]", entry("evil", "system:masters")],
    ["another name", before, before + entry("evil").replace(userName, "admin")],
    ["a name of its choice", before, before + entry("evil").replace(userName, "system:node:n1")],
    ["a node in place of somebody", "- {}\n", entry("node")],
    ["two at once", before, before + entry("node") + entry("one.a+b")],
    ["another role for an administrator", before, evil],
    ["another role for an administrator, and a node", before, evil + entry("node")],
    ["a bracket less, and a node", lists, lists.replace(/]$/, `, ${inBrackets("node")}}`)],
    ["groups that are taken away", before, before.replace("    - system:masters\n", "")],
    ["everybody taken away", before, ""],
    ["an entry for another", before, before.replace(entry("workers"), entry("node"))],
    ["an entry before all others", before, entry("node") + before],
    ["a comment that comes to life", before, before.replace("# - {", "# \n- system:nodes\n- {")],
    ["a first line that stands elsewhere", before, `${before} ${entry("node")}`],
    ["an entry deeper than the others", before, before + entry("node").replace(/^/gm, "    ")],
    ["an entry without the end of its line", before, before + entry("node").trimEnd()],
    ["a text of its own", before, `${before}- x\n`],
    ["a very long one", before, before + entry("x".repeat(3000))],
  ])("%s", async (_, mapRoles, text) => {
    await expect(changed(mapOf(mapRoles), rewritten(text))).rejects.toThrow(nodes);
  });

  it.each<[string, string]>([
    ["of another account", entry("node").replace(account, "999988887777")],
    ["of another partition", entry("node").replace("arn:aws:", "arn:aws-cn:")],
    ["of a person, by SSO", entry("AWSReservedSSO_Admin_0123456789")],
    ["that is no node's", entry("two")],
    ["that is a node's in small letters only", entry("NODE")],
    ["whose name a pattern would match", entry("one-a+b")],
    ["with a longer name than a node's", entry("node2")],
    ["by its session", entry("node").replace(/iam(.*?)role.*/, "sts$1assumed-role/node/i-0")],
    ["by its path", entry("team/node")],
    ["of a user", entry("node").replace(":role/", ":user/")],
  ])("an entry for a role %s", async (_, added) => {
    await expect(changed(mapOf(before), rewritten(before + added))).rejects.toThrow(nodes);
    const body = mapOf(added);
    const made = core().createNamespacedConfigMap({ ...place, body, dryRun: "All" }, asTheFunction);
    await expect(made).rejects.toThrow(nodes);
  });

  it("an entry for any role, where no roles of nodes are named", async () => {
    const other = (text: string) => text.replaceAll("eks-node-lifecycle", "no-node-roles");
    await controlPlane.apply(
      ...fences({ nodeRoles: [] }).map(other),
      other(JSON.stringify(binding)),
    );
    const made = () =>
      core().createNamespacedConfigMap(
        { ...place, body: mapOf(entry("node")), dryRun: "All" },
        asMemberOf("no-node-roles", "x"),
      );
    await vi.waitFor(() => expect(made()).rejects.toThrow(`no-node-roles ${nodes}`), patience);
  });

  it("an entry for a role of another account, which the roles of nodes name", async () => {
    const other = (text: string) => text.replaceAll("eks-node-lifecycle", "roles-of-others");
    const theirs = tryRoleArn(arnOf("node").replace(account, "999988887777"));
    const nodeRoles = theirs === undefined ? [] : [theirs];
    const access = JSON.stringify(binding);
    await controlPlane.apply(...[...fences({ nodeRoles }), access].map(other));
    const body = mapOf(entry("node").replace(account, "999988887777"));
    const made = () =>
      core().createNamespacedConfigMap(
        { ...place, body, dryRun: "All" },
        asMemberOf("roles-of-others", "x"),
      );
    await vi.waitFor(() => expect(made()).rejects.toThrow(`roles-of-others ${nodes}`), patience);
  });

  it("to append to a list that a line one column further left has ended", async () => {
    const ended = "  - {}\n x\n";
    const text = `${ended}${entry("node").replace(/^(?=.)/gm, "  ")}`;
    await expect(changed(mapOf(ended), rewritten(text))).rejects.toThrow(plain);
  });

  it("to take mapRoles away with its key", async () => {
    const { mapRoles: _, ...data } = more;
    const bare = (map: V1ConfigMap) => ({ ...map, data });
    await expect(changed({ metadata: place, data: more }, bare)).rejects.toThrow(nodes);
  });

  const json = JSON.stringify([{ rolearn: arnOf("admin"), username: "admin" }]);

  it.each<[string, string]>([
    ["as it is", admin],
    ["in capitals", admin.replace("role/admin", "ROLE/ADMIN")],
    ["in quotes", admin.replace(/: (arn\S+)/, ": '$1'")],
    ["in brackets", admin.replace(/: (arn\S+)\n/, ": [$1]\n")],
    ["in braces", `- ${json.slice(1, -1)}\n`],
    ["before a comment", admin.replace("role/admin", "role/admin # the boss")],
    ["on a line of its own", admin.replace(/: (arn\S+)/, ": >-\n      $1")],
    ["with its path", admin.replace("role/admin", "role/team/admin")],
    ["of another account", admin.replace(account, "999988887777")],
    ["as a node already", entry("admin")],
    ["that is disabled", `# ${admin.trimEnd().replaceAll("\n", "\n# ")}\n${entry("workers")}`],
  ])("a second entry for a role that is named already: %s", async (_, mapRoles) => {
    const text = mapRoles + entry("admin");
    await expect(changed(mapOf(mapRoles), rewritten(text))).rejects.toThrow(mapped);
  });

  it.each([
    ["as it is", json],
    ["before an escape", json.replace("/admin", "/admin\\u0026x")],
  ])("a second entry for a role that is named already: in JSON, %s", async (_, mapRoles) => {
    const text = `${mapRoles.slice(0, -1)}, ${inBrackets("admin")}]`;
    await expect(changed(mapOf(mapRoles), rewritten(text))).rejects.toThrow(mapped);
  });

  it.each(
    textsOf("unreadable").filter(({ name, why }) => unlike.test(why.source) && !later.test(name)),
  )("to append to what another reader may read differently: $name", async ({ mapRoles }) => {
    const text = `${mapRoles}${mapRoles.endsWith("\n") ? "" : "\n"}${entry("evil")}`;
    await expect(changed(mapOf(mapRoles), rewritten(text))).rejects.toThrow(plain);
  });

  it("an entry that it cannot judge within its cost limit", async () => {
    const many = bigMap(800_000);
    const made = changed(mapOf(many), rewritten(many + entry("evil")));
    await expect(made).rejects.toThrow(/cost limit/);
  });

  it.each<readonly [string, string | undefined, V1ConfigMap]>([
    ["a user", data, { data: { ...more, mapUsers: "- userarn: x" } }],
    ["another user", data, { data: { ...more, mapAccounts: '- "2"' } }],
    ["an account taken away", data, { data: { mapRoles: before } }],
    ["bytes", data, { binaryData: { other: "eA==" } }],
    ["that nobody may change it any more", data, { immutable: true }],
    ...odd.map(([name, what]) => [name, metadata, { metadata: what }] as const),
  ])("%s", async (_, why, change) => {
    const changing = (map: V1ConfigMap) => ({
      ...map,
      ...change,
      metadata: { ...map.metadata, ...change.metadata },
    });
    await expect(changed({ metadata: place, data: more }, changing)).rejects.toThrow(why);
  });

  const mine = { manager: "x", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1" };
  it.each<[string, V1ManagedFieldsEntry[]]>([
    ["nobody's", []],
    ["nobody's, by an empty owner", [{}]],
    ["somebody else's too", [{ ...mine, fieldsV1: { "f:data": { "f:mapAccounts": {} } } }]],
  ])(
    "to make the other fields %s, which Terraform could then not remove",
    async (_, managedFields) => {
      const change = (map: V1ConfigMap) => ({
        ...rewritten(before + entry("node"))(map),
        metadata: { ...map.metadata, managedFields },
      });
      await expect(changed({ metadata: place, data: more }, change)).rejects.toThrow(owners);
    },
  );

  // With a text that changes, the API server itself takes mapRoles from whoever is said to have applied it.
  it.each([
    ["by server-side apply", "Terraform", "Apply"],
    ["by kubectl, which takes such a record over", "kubectl-client-side-apply", "Update"],
    ["by a name that begins with kubectl, which Flux takes over", "kubectl-x", "Update"],
  ])(
    "to say that somebody has applied mapRoles %s, who would then remove it",
    async (_, manager, operation) => {
      await core().createNamespacedConfigMap({ ...place, body: mapOf(before) });
      const body = {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: place,
        data: { mapUsers: "- userarn: x\n" },
      };
      const applying = setHeaderOptions("Content-Type", PatchStrategy.ServerSideApply);
      const fieldManager = "Terraform";
      const found = await core().patchNamespacedConfigMap(
        { ...place, body, fieldManager },
        applying,
      );
      const applied = { "f:data": { "f:mapUsers": {}, "f:mapRoles": {} } };
      const forged = { ...mine, manager, operation, fieldsV1: applied };

      const written = core().replaceNamespacedConfigMap(
        { ...place, body: { ...found, metadata: { ...found.metadata, managedFields: [forged] } } },
        asTheFunction,
      );

      await expect(written).rejects.toThrow(owners);
    },
  );

  it.each<readonly [string, string | undefined, V1ConfigMap]>([
    ["another map", elsewhere, { metadata: { ...place, name: "other" }, data: {} }],
    ["one elsewhere", elsewhere, { metadata: { ...place, namespace: "default" }, data: {} }],
    ["aws-auth with an administrator", nodes, mapOf(admin)],
    ["aws-auth with a user", data, { ...mapOf(entry("node")), data: { mapUsers: "- userarn: x" } }],
    ["aws-auth with bytes", data, { ...mapOf(entry("node")), binaryData: { x: "eA==" } }],
    ["aws-auth for ever", data, { ...mapOf(entry("node")), immutable: true }],
    ...odd.map(([name, what]) => [name, metadata, { metadata: { ...place, ...what } }] as const),
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

// Without the fence, these rights would allow everything that it refuses. To create an owner reference that blocks, a
// caller must be allowed to change the owner's finalizers.
const group = "rbac.authorization.k8s.io";
const binding = {
  apiVersion: `${group}/v1`,
  kind: "ClusterRoleBinding",
  metadata: { name: "eks-node-lifecycle-too-much" },
  roleRef: { apiGroup: group, kind: "ClusterRole", name: "too-much" },
  subjects: [{ apiGroup: group, kind: "Group", name: "eks-node-lifecycle" }],
};
const role = {
  apiVersion: `${group}/v1`,
  kind: "ClusterRole",
  metadata: { name: "too-much" },
  rules: [{ apiGroups: [""], resources: ["configmaps", "*/finalizers"], verbs: ["*"] }],
};
