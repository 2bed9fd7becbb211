import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { accessManifests } from "../../cli/manifests/access-manifests.ts";
import type { ClusterObject } from "../../lambda/rights/cluster-object.ts";
import { rightsFor } from "../../lambda/rights/rights.ts";
import { readRights } from "../../lambda/rights/rights-schema.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { limits } from "./fences.ts";

const patience = { timeout: 30_000, interval: 250 };
const group = "rbac.authorization.k8s.io";
const metadata = { name: "eks-node-lifecycle-deployer" };
const { wanted } = readRights(
  accessManifests(),
  rightsFor({
    ...limits,
    force: "at-deadline",
    awsAuth: "edit",
    makeRoom: "off",
    removeNode: "terminated",
    apiPriority: "shared",
    upgrades: "off",
    repairs: "off",
    events: "on",
  }),
);
const names = [...new Set(wanted.map(({ name }) => name))];

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

const named = (apiGroup: string, resources: readonly string[], verbs: readonly string[]): Rule => ({
  apiGroups: [apiGroup],
  resources,
  resourceNames: names,
  verbs,
});
const write = ["get", "create", "patch", "delete"];
const roles = ["clusterroles", "roles"];
const bindings = ["clusterrolebindings", "rolebindings"];
const policies = ["validatingadmissionpolicies", "validatingadmissionpolicybindings"];

/** What a deployer needs at least: to write the objects of the function's rights, by their names. */
const byName = [
  named(group, [...roles, ...bindings], write),
  named("admissionregistration.k8s.io", policies, write),
];
const escalating = [...byName, named(group, roles, ["bind", "escalate"])];
/** Everything that the function may do, without the names: a role may be given only what its giver has. */
const holding = [
  ...byName,
  ...wanted.flatMap(({ body }) => ("rules" in body ? (body.rules as readonly Rule[]) : [])),
];

describe("a deployer with less than an administrator's rights", () => {
  let controlPlane: ControlPlane;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ nodes: [] });
  });
  afterAll(async () => controlPlane.stop());

  const kubectl = (...args: readonly string[]) =>
    controlPlane.kubectlText(...args, "--as=deployer").then(
      (out) => out,
      (cause: unknown) => String(cause),
    );
  const able = async (...what: readonly string[]) =>
    (await kubectl("auth", "can-i", ...what)).trim() === "yes";

  /** Gives the deployer these rights, and waits until it has them. */
  async function deployerWith(rules: readonly Rule[]): Promise<void> {
    const its = { apiVersion: `${group}/v1`, kind: "ClusterRole", metadata, rules };
    const roleRef = { apiGroup: group, kind: "ClusterRole", name: metadata.name };
    const subjects = [{ apiGroup: group, kind: "User", name: "deployer" }];
    const binding = { apiVersion: `${group}/v1`, kind: "ClusterRoleBinding", metadata };
    await controlPlane.apply(its, { ...binding, roleRef, subjects } as object);
    const last =
      rules === escalating ? ["escalate", "clusterroles/eks-node-lifecycle"] : ["list", "nodes"];
    await expect.poll(() => able(...last), patience).toBe(true);
  }

  /** Lets the deployer apply objects as its code does. */
  async function applied(objects: readonly object[]): Promise<string> {
    const file = fileOf({ apiVersion: "v1", kind: "List", items: objects });
    return kubectl("apply", "--server-side", "--force-conflicts", `--filename=${file}`);
  }

  const bodies = (objects: readonly ClusterObject[]) => objects.map(({ body }) => body);
  const everything = { apiGroups: ["*"], resources: ["*"], verbs: ["*"] };
  const greedy = {
    apiVersion: `${group}/v1`,
    kind: "ClusterRole",
    metadata: { name: "eks-node-lifecycle" },
    rules: [everything],
  };

  beforeEach(async () => {
    const kinds = [...roles, ...bindings, ...policies].join(",");
    const found = await controlPlane.kubectlText("get", kinds, "--all-namespaces", "--output=json");
    for (const { kind, metadata: its } of (JSON.parse(found) as Found).items)
      if (its.name.startsWith("eks-node-lifecycle"))
        await controlPlane.kubectlText(
          "delete",
          kind,
          its.name,
          `--namespace=${its.namespace ?? "default"}`,
        );
  });

  it.each([
    ["the right to escalate", escalating],
    ["all rights of the function", holding],
  ])("can apply every object of the rights by its name, with %s", async (_, rules) => {
    await deployerWith(rules);
    const answer = await applied(bodies(wanted));
    for (const { name } of wanted)
      expect(answer).toMatch(new RegExp(`/${name} serverside-applied`));
    expect(answer).not.toContain("rror");
  });

  it("can make itself an administrator with the right to escalate, even if only on the function's roles", async () => {
    await deployerWith(escalating);
    await applied(bodies(wanted));
    expect(await able("get", "secrets", "--all-namespaces")).toBe(false);

    const [binding] = bodies(wanted).filter((body) => "roleRef" in body);
    const subjects = [{ apiGroup: group, kind: "User", name: "deployer" }];
    await applied([greedy, { ...binding, subjects }]);

    await expect.poll(() => able("get", "secrets", "--all-namespaces"), patience).toBe(true);
  });

  it("can give the function nothing new with all rights that the function has now", async () => {
    await deployerWith(holding);
    const more = {
      ...greedy,
      rules: [{ apiGroups: [""], resources: ["services"], verbs: ["get"] }],
    };
    expect(await applied([more])).toContain(
      "attempting to grant RBAC permissions not currently held",
    );
  });

  it("can write aws-auth with all rights that the function has now, and no fence stops it", async () => {
    await deployerWith(holding);
    await applied(bodies(wanted));
    const mapRoles =
      "- {rolearn: arn:aws:iam::999988887777:role/x, username: x, groups: [system:masters]}";
    const map = { apiVersion: "v1", kind: "ConfigMap", data: { mapRoles } };
    const where = { name: "aws-auth", namespace: "kube-system" };
    await controlPlane.apply({ ...map, metadata: where, data: {} } as object);

    const file = fileOf({ ...map, metadata: where });
    expect(await kubectl("replace", `--filename=${file}`)).toContain("configmap/aws-auth replaced");
  });
});

/** Writes an object to a file for one test. */
function fileOf(object: object): string {
  const folder = mkdtempSync(join(tmpdir(), "deployer-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "object.json");
  writeFileSync(file, JSON.stringify(object));
  return file;
}

interface Found {
  readonly items: readonly {
    readonly kind: string;
    readonly metadata: { readonly name: string; readonly namespace?: string };
  }[];
}
