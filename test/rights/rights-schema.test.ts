import { describe, expect, it } from "vitest";
import { accessManifests } from "../../cli/manifests/access-manifests.ts";
import { tryRoleArn } from "../../lambda/base/role-arn.ts";
import type { ClusterObject } from "../../lambda/rights/cluster-object.ts";
import { type Rights, rightsParts } from "../../lambda/rights/rights.ts";
import { readRights } from "../../lambda/rights/rights-schema.ts";

const all: Rights = {
  parts: rightsParts,
  ownTaint: "",
  account: "",
  nodeRoles: [],
  outOfService: "never",
  makeRoom: "on",
  conditions: "off",
  force: "at-deadline",
};
const rights = (change: Partial<Rights> = {}) =>
  readRights(accessManifests(), { ...all, ...change });

const titles = (objects: readonly ClusterObject[]): readonly string[] =>
  objects.map(({ kind, namespace, name }) => [kind, namespace, name].filter(Boolean).join(" "));

// Never remove a line from here: an object that is no longer applied moves to a part that no deployment chooses.
const everApplied = [
  "ValidatingAdmissionPolicy eks-node-lifecycle",
  "ValidatingAdmissionPolicyBinding eks-node-lifecycle",
  "ValidatingAdmissionPolicy eks-node-lifecycle-aws-auth",
  "ValidatingAdmissionPolicyBinding eks-node-lifecycle-aws-auth",
  "ValidatingAdmissionPolicy eks-node-lifecycle-events",
  "ValidatingAdmissionPolicyBinding eks-node-lifecycle-events",
  "ValidatingAdmissionPolicy eks-node-lifecycle-making-room",
  "ValidatingAdmissionPolicyBinding eks-node-lifecycle-making-room",
  "ValidatingAdmissionPolicy eks-node-lifecycle-making-room-behind-autoscalers",
  "ValidatingAdmissionPolicyBinding eks-node-lifecycle-making-room-behind-autoscalers",
  "PriorityLevelConfiguration eks-node-lifecycle",
  "FlowSchema eks-node-lifecycle",
  "ClusterRole eks-node-lifecycle",
  "ClusterRoleBinding eks-node-lifecycle",
  "ClusterRoleBinding eks-node-lifecycle-upgrades",
  "ClusterRoleBinding eks-node-lifecycle-repairs",
  "Role kube-system eks-node-lifecycle",
  "RoleBinding kube-system eks-node-lifecycle",
  "Role kube-system eks-node-lifecycle-aws-auth-edit",
  "RoleBinding kube-system eks-node-lifecycle-aws-auth-edit",
  "ClusterRole eks-node-lifecycle-events",
  "ClusterRoleBinding eks-node-lifecycle-events",
  "ClusterRole eks-node-lifecycle-conditions",
  "ClusterRoleBinding eks-node-lifecycle-conditions",
  "ClusterRole eks-node-lifecycle-making-room",
  "ClusterRoleBinding eks-node-lifecycle-making-room",
  "ClusterRole eks-node-lifecycle-force",
  "ClusterRoleBinding eks-node-lifecycle-force",
  "Role kube-system eks-node-lifecycle-agent-restart",
  "RoleBinding kube-system eks-node-lifecycle-agent-restart",
  "ClusterRole eks-node-lifecycle-node-removal",
  "ClusterRoleBinding eks-node-lifecycle-node-removal",
];

const functionGroups = [
  "eks-node-lifecycle",
  "eks-node-lifecycle-upgrades",
  "eks-node-lifecycle-repairs",
];

describe("the fences", () => {
  const policies = rights().wanted.filter(({ kind }) => kind === "ValidatingAdmissionPolicy");
  // Nobody but the node function has a right to ConfigMaps.
  const ofOneFunction = ["eks-node-lifecycle-aws-auth"];

  it.each(policies)("limit each function that has such rights: $name", ({ name, body }) => {
    const conditions = JSON.stringify(Object(body).spec.matchConditions);
    const groups = ofOneFunction.includes(name) ? functionGroups.slice(0, 1) : functionGroups;

    expect(conditions.match(/'eks-node-lifecycle[a-z-]*'/g)).toEqual(
      groups.map((one) => `'${one}'`),
    );
  });

  it("are asked about every group to which a role is bound", () => {
    const bound = rights()
      .wanted.filter(({ kind }) => /^(Cluster)?RoleBinding$/.test(kind))
      .flatMap(({ body }): readonly { readonly name: string }[] => Object(body).subjects)
      .map(({ name }) => name);

    expect(new Set(bound)).toEqual(new Set(functionGroups));
  });
});

describe("the function's rights", () => {
  it("begin with the fences and end with the rights to delete", () => {
    const { wanted, unwanted } = rights();
    expect(titles(wanted)).toEqual(everApplied);
    expect(unwanted).toEqual([]);
  });

  it("include every object that a deployment has ever applied, so that each can be removed", () => {
    const { wanted, unwanted } = rights({ parts: [] });
    expect(wanted).toEqual([]);
    expect(titles(unwanted)).toEqual(expect.arrayContaining(everApplied));
  });

  it("remove every object of a part that is not chosen", () => {
    const { wanted, unwanted } = rights({ parts: rightsParts.slice(0, -1) });
    expect(titles(unwanted)).toEqual([
      "ClusterRole eks-node-lifecycle-node-removal",
      "ClusterRoleBinding eks-node-lifecycle-node-removal",
    ]);
    expect(titles(wanted)).toEqual(everApplied.slice(0, -2));
  });

  const account = "arn:aws:iam::123456789012";
  const nodeRoles = ["one", "two"].flatMap((name) => tryRoleArn(`${account}:role/${name}`) ?? []);
  const ownTaint = "example.com/draining=:NoSchedule";

  it.each<[fence: number, variable: string, change: Partial<Rights>, expression: string]>([
    [0, "outOfService", {}, "'never'"],
    [0, "conditions", {}, "'off'"],
    [0, "conditions", { conditions: "on" }, "'on'"],
    [0, "outOfService", { outOfService: "taint" }, "'taint'"],
    [0, "force", {}, "'at-deadline'"],
    [0, "force", { force: "never" }, "'never'"],
    [0, "ownTaint", {}, "''"],
    [0, "ownTaint", { ownTaint }, `'${ownTaint}'`],
    [6, "makeRoom", {}, "'on'"],
    [6, "makeRoom", { makeRoom: "annotated" }, "'annotated'"],
    [8, "makeRoom", { makeRoom: "annotated" }, "'annotated'"],
    [2, "account", {}, "''"],
    [2, "account", { account }, `'${account}'`],
    [2, "nodeRoles", {}, "[]"],
    [2, "nodeRoles", { nodeRoles }, `['${account}:role/one', '${account}:role/two']`],
  ])("allow only what a deployment chooses: in fence %i, %s by %j is %s", (...row) => {
    const [fence, name, change, expression] = row;
    const variable = JSON.stringify({ name, expression });
    expect(JSON.stringify(rights(change).wanted[fence]?.body)).toContain(variable);
  });

  it("are applied as they are written, without a namespace where an object has none", () => {
    const { wanted } = rights();
    const [policy] = wanted;
    const role = wanted.find(({ kind }) => kind === "ClusterRole");
    expect(policy?.body).toMatchObject({ metadata: { name: "eks-node-lifecycle" } });
    expect(policy?.body).toMatchObject({ spec: { failurePolicy: "Fail" } });
    expect(role?.body).toMatchObject({ apiVersion: role?.apiVersion, kind: "ClusterRole" });
  });

  it.each([
    ["not JSON", /rbac: /],
    ['{"kind":"List"}', /rbac.*a list of Kubernetes objects/],
    ['[{"apiVersion":"v1","kind":"Role"}]', /rbac\[0\]\.metadata/],
  ])("cannot be read from %s", (rbac, complaint) => {
    expect(() => readRights({ ...accessManifests(), rbac }, all)).toThrow(complaint);
  });
});
