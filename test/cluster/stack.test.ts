import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { AppsV1Api, CoreV1Api, RbacAuthorizationV1Api } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { main } from "../../cli/main.ts";
import { productName } from "../../lambda/base/contract.ts";
import { hours, instant, later } from "../../lambda/base/time.ts";
import {
  labelOf,
  recordAnnotation,
  recordLabel,
  recordText,
} from "../../lambda/making-room/record.ts";
import { Aws } from "../../sandbox/aws/aws.ts";
import type { RunningFunction } from "../../sandbox/lambda/invocation.ts";
import { startAwsServer } from "../../sandbox/servers/aws-server.ts";
import { deployTemplate, type StackDeployment } from "../../sandbox/stack/deploy-template.ts";
import { WallTimeline } from "../../sandbox/timeline.ts";
import { capturedIo } from "../cli/captured-io.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { deployment as aDeployment, namespace, replicaSet } from "./manifests.ts";
import { refusal } from "./refusal.ts";
import { sampleStack } from "./sample-stack.ts";

const account = { partition: "aws", region: "eu-west-1", id: "123456789012" };
const cluster = "sample";
const group = "workers";
const NodeRoles = ["arn:aws:iam::123456789012:role/nodes"];
const nodes = [1, 2].map((number) => ({
  name: `node-${number}`,
  instanceId: `i-0000000000000000${number}`,
  zone: "eu-west-1a",
}));
const [leaving] = nodes;
const coming = { name: "node-9", instanceId: "i-00000000000000009", zone: "eu-west-1a" };
const patience = { timeout: 90_000, interval: 250 };
const exclusion = "node.kubernetes.io/exclude-from-external-load-balancers";

const ownTaint = { key: "example.com/draining", value: "true", effect: "NoSchedule" };
const taint = `${ownTaint.key}=${ownTaint.value}:${ownTaint.effect}`;
const unforced = [
  "eks-node-lifecycle",
  "eks-node-lifecycle-events",
  "eks-node-lifecycle-node-removal",
];
const allRoles = [
  "eks-node-lifecycle",
  "eks-node-lifecycle-events",
  "eks-node-lifecycle-force",
  "eks-node-lifecycle-node-removal",
];
const stack = sampleStack(group, { taint });
let aws: Aws;
let controlPlane: ControlPlane;
let deployment: StackDeployment;
let deployer: RunningFunction;
const log: string[] = [];
const ends: (() => Promise<void> | void)[] = [];

const own = {
  StackId: `arn:aws:cloudformation:eu-west-1:${account.id}:stack/Sample/1a2b`,
  LogicalResourceId: "Rights",
};

/** Invokes the custom resource, and returns the answer that CloudFormation would get. */
async function asked(RequestType: string, properties: object, more: object = {}): Promise<unknown> {
  const event = { ...own, RequestType, ResourceProperties: properties, ...more };
  return deployer.invoke(event);
}

beforeAll(async () => {
  const timeline = new WallTimeline();
  aws = new Aws(timeline, account);
  const server = await startAwsServer(aws);
  aws.keys.add({
    accessKeyId: "authenticator",
    secretAccessKey: "authenticator",
    sessionToken: "",
    principal: { arn: `arn:aws:iam::${account.id}:user/authenticator`, userId: "AIDAAUTH" },
    expires: "never",
  });
  controlPlane = await startControlPlane({
    nodes,
    cluster,
    ec2Endpoint: server.url,
    authMode: "API",
  });
  aws.keys.onAdded(({ accessKeyId, secretAccessKey, principal: { arn } }) => {
    void controlPlane.addAccessKey({ accessKeyId, secretAccessKey, arn });
  });
  const { url: endpoint, certificateAuthority } = controlPlane;
  const eks = aws.eks.createCluster({
    name: cluster,
    version: "1.36",
    endpoint,
    certificateAuthority,
    authenticationMode: "API",
  });
  aws.autoScaling.createGroup({ name: group, zones: ["eu-west-1a"], launches: "never" });
  for (const { instanceId: id, zone, name } of nodes) {
    aws.ec2.run({ id, zone, privateIp: "10.0.0.1", privateDnsName: name });
    aws.autoScaling.attach({ id, zone, group });
  }
  deployment = deployTemplate(stack, {
    aws,
    addresses: server,
    log: ({ text }) => log.push(text),
  });
  // A control plane without EKS has no AmazonEKSClusterAdminPolicy: system:masters stands in for
  // it.
  const entries = eks.entries.all().map(({ principalArn: rolearn, groups }) => ({
    rolearn,
    username: rolearn.replace(/.*\//, ""),
    groups: groups.length === 0 ? ["system:masters"] : groups,
  }));
  await controlPlane.setAccessEntries(entries);
  deployer = deployment.function(stack.deployer);
  ends.push(
    () => deployment.stop(),
    () => server.close(),
    () => timeline.stop(),
    () => controlPlane.stop(),
  );
});

afterAll(async () => {
  for (const end of ends) await end();
});

async function roles(): Promise<readonly (string | undefined)[]> {
  const { items } = await controlPlane.api(RbacAuthorizationV1Api).listClusterRole();
  return items
    .map(({ metadata }) => metadata?.name)
    .filter((name) => name?.startsWith("eks-node-lifecycle"));
}

const fence = () => controlPlane.kubectlText("get", "validatingadmissionpolicies", "--output=name");

/**
 * Makes the API server refuse the function's role bindings, or accept them again, and waits until
 * it does.
 */
async function bindRoles(when: "again" | "not today"): Promise<void> {
  if (when === "not today") await controlPlane.apply(...notToday);
  else
    for (const kind of ["validatingadmissionpolicybinding", "validatingadmissionpolicy"])
      await controlPlane.kubectlText("delete", kind, "not-today");
  const metadata = { name: "eks-node-lifecycle-aws-auth-edit" };
  const body = { metadata, roleRef: { apiGroup: rbac, kind: "Role", name: "x" } };
  const tried = () =>
    controlPlane
      .api(RbacAuthorizationV1Api)
      .createNamespacedRoleBinding({ namespace: "kube-system", dryRun: "All", body })
      .then(() => "again", String);
  await expect.poll(tried, patience).toContain(when);
}

// One after the other: the access is applied, used, fenced in, changed and removed.
describe("the sample's stack on a real control plane", { shuffle: false }, () => {
  it("removes what a failed first deployment has applied, and keeps what was there before", async () => {
    const metadata = { name: "eks-node-lifecycle" };
    const somebodys = { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata, rules: [] };
    await controlPlane.apply(somebodys);
    await bindRoles("not today");

    expect(await asked("Create", stack.rights)).toMatchObject({
      kind: "error",
      error: {
        errorMessage: expect.stringMatching(
          /applying RoleBinding kube-system\/eks-node-lifecycle: HTTP 422 .*not today/,
        ),
      },
    });
    expect(await roles()).toEqual(["eks-node-lifecycle"]);
    const kinds = "clusterrolebindings,roles,rolebindings";
    const others = await controlPlane.kubectlText("get", kinds, "-A", "--output=name");
    expect(others).not.toContain("eks-node-lifecycle");
    expect(await fence()).not.toContain("eks-node-lifecycle");

    await controlPlane.kubectlText("delete", "clusterrole", metadata.name);
    await bindRoles("again");
  });

  it("applies the access by its custom resource, and can repeat that", async () => {
    for (const type of ["Create", "Create"])
      expect(await asked(type, stack.rights)).toMatchObject({
        kind: "ok",
        payload: { PhysicalResourceId: "eks-node-lifecycle-access-to-sample" },
      });
    expect(await roles()).toEqual(allRoles);
    expect(await fence()).toContain(
      "validatingadmissionpolicy.admissionregistration.k8s.io/eks-node-lifecycle",
    );
  });

  it("applies no manifests and no expressions from its invoker", async () => {
    const Manifests = JSON.stringify(tooMuch);
    expect(await asked("Create", { ...stack.rights, Manifests })).toMatchObject({ kind: "ok" });
    expect(await roles()).toEqual(allRoles);

    const OwnTaint = "' || true || '";
    expect(await asked("Update", { ...stack.rights, OwnTaint })).toMatchObject({
      kind: "error",
      error: { errorMessage: expect.stringContaining("ResourceProperties.OwnTaint") },
    });
  });

  it("keeps the rights that another construct of the cluster also needs, whichever is deleted first", async () => {
    const moved = { LogicalResourceId: "RightsElsewhere" };
    const { rights: lesser } = sampleStack(group, { taint, force: "never" });
    const roleBindings = () =>
      controlPlane.kubectlText("get", "rolebindings", "-A", "--output=name");

    expect(await asked("Create", lesser, moved)).toMatchObject({ kind: "ok" });
    expect(await asked("Delete", stack.rights)).toMatchObject({ kind: "ok" });
    expect(await roles()).toEqual(unforced);
    expect(await fence()).toContain("eks-node-lifecycle");
    expect(await roleBindings()).toContain("eks-node-lifecycle");

    expect(await asked("Create", stack.rights)).toMatchObject({ kind: "ok" });
    await bindRoles("not today");
    const failing = { LogicalResourceId: "RightsThatFail" };
    const greater = { ...stack.rights, AwsAuth: "edit", NodeRoles };
    expect(await asked("Create", greater, failing)).toMatchObject({ kind: "error" });
    await bindRoles("again");
    expect(await asked("Delete", lesser, moved)).toMatchObject({ kind: "ok" });
    expect(await roles()).toEqual(allRoles);
    expect(await asked("Delete", stack.rights)).toMatchObject({ kind: "ok" });
    expect(await roles()).toEqual([]);
    expect(await fence()).not.toContain("eks-node-lifecycle");
    expect(await roleBindings()).not.toContain("eks-node-lifecycle");

    expect(await asked("Create", stack.rights)).toMatchObject({ kind: "ok" });
    expect(await roles()).toEqual(allRoles);
  });

  it("refuses the template's form where another stack has given rights, and changes nothing", async () => {
    const foreign = {
      StackId: own.StackId.replace("Sample/1a2b", "Other/3c4d"),
      LogicalResourceId: "Rights",
    };
    const form = { ...stack.rights, OwnTaint: "example.com/other:NoSchedule", Others: "refused" };
    const before = await roles();
    expect(await asked("Create", form, foreign)).toMatchObject({
      kind: "error",
      error: {
        errorMessage: `cluster.taken: giving rights in the cluster: it has the deployment of ${own.StackId}`,
      },
    });
    expect(await roles()).toEqual(before);
    expect(await asked("Update", { ...stack.rights, Others: "refused" })).toMatchObject({
      kind: "ok",
    });
  });

  it("drains the node of a terminating instance with the access that it has applied", async () => {
    await controlPlane.apply(
      namespace("demo"),
      replicaSet({ name: "app", namespace: "demo", replicas: 4 }),
    );
    await vi.waitFor(async () => {
      const { items } = await controlPlane.api(CoreV1Api).listNamespacedPod({ namespace: "demo" });
      expect(items.every(({ status }) => status?.phase === "Running")).toBe(true);
      expect(items.filter(({ spec }) => spec?.nodeName === leaving?.name).length).toBeGreaterThan(
        0,
      );
    }, patience);
    deployment.start();
    aws.autoScaling.terminate(leaving?.instanceId ?? "", {});
    const terminating = () =>
      aws.autoScaling.actions().filter((action) => action.hook.name === "Terminate-LC-Hook");
    while (terminating().some(({ end }) => end.kind === "open")) await setTimeout(100);

    expect(terminating()).toMatchObject([{ end: { result: "CONTINUE", by: "call" } }]);
    const { items } = await controlPlane.api(CoreV1Api).listNamespacedPod({ namespace: "demo" });
    const left = items.filter(({ spec }) => spec?.nodeName === leaving?.name);
    expect(left.map(({ metadata }) => metadata?.name)).toEqual([]);
    const node = await controlPlane.api(CoreV1Api).readNode({ name: leaving?.name ?? "" });
    expect(node).toMatchObject({
      metadata: { labels: { [exclusion]: "eks-node-lifecycle" } },
      spec: {
        unschedulable: true,
        taints: expect.arrayContaining([expect.objectContaining(ownTaint)]),
      },
    });
    expect(log.join("")).not.toContain("ValidatingAdmissionPolicy 'eks-node-lifecycle'");
  });

  it("registers a launching instance, and completes its hook when its node is ready", async () => {
    const { iam, ec2, autoScaling, eks } = aws;
    const role = iam.createRole({ name: "nodes", path: "/" });
    const { arn: profileArn } = iam.createInstanceProfile({ name: "node", path: "/" }, [role]);
    const { instanceId: id, zone, name: privateDnsName } = coming;
    ec2.run({ id, zone, privateIp: "10.0.0.9", privateDnsName, profileArn });
    autoScaling.launch({ id, zone, group }, "launch");
    const entries = () => eks.findCluster(cluster).entries.all();
    await vi.waitFor(
      () => expect(entries()).toContainEqual(expect.objectContaining({ principalArn: role.arn })),
      patience,
    );
    await controlPlane.nodeUp(coming);

    const launches = () =>
      autoScaling.actions().filter((action) => action.hook.name === "Launch-LC-Hook");
    await vi.waitFor(
      () => expect(launches()).toMatchObject([{ end: { result: "CONTINUE", by: "call" } }]),
      patience,
    );
    await expect.poll(() => log.join(""), patience).toContain('"outcome":{"kind":"joined"');
  });

  it("puts back every count that a drain has raised when no more room is to be made", async () => {
    const { rights } = sampleStack(group, { taint, makeRoom: "on" });
    expect(await asked("Update", rights)).toMatchObject({ kind: "ok" });
    expect(await roles()).toContain("eks-node-lifecycle-making-room");
    const web = { name: "raised", namespace: "demo" };
    const now = instant(Date.now());
    const up = { phase: "up", was: 1, is: 2, since: now, why: "node a" } as const;
    const made = aDeployment({ ...web, replicas: 2 });
    const record = recordText({ ...up, until: later(now, hours(1)) });
    const annotations = { [recordAnnotation]: record };
    const labels = { [recordLabel]: labelOf(record) };
    const body = { ...made, metadata: { ...made.metadata, labels, annotations } };
    const mine = { namespace: "demo", body, fieldManager: productName };
    await controlPlane.api(AppsV1Api).createNamespacedDeployment(mine);

    const old = { OldResourceProperties: rights };
    expect(await asked("Update", stack.rights, old)).toMatchObject({ kind: "ok" });
    const left = await controlPlane.api(AppsV1Api).readNamespacedDeployment(web);
    expect(left.spec?.replicas).toBe(1);
    expect(left.metadata?.labels).toBeUndefined();
    expect(left.metadata?.annotations).not.toHaveProperty([recordAnnotation]);
    expect(await roles()).not.toContain("eks-node-lifecycle-making-room");
  });

  it("removes the rights that it no longer grants, and all rights when it is deleted", async () => {
    const { rights: lesser } = sampleStack(group, { taint, force: "never" });
    const old = { OldResourceProperties: stack.rights };
    expect(await asked("Update", lesser, old)).toMatchObject({ kind: "ok" });
    expect(await roles()).toEqual(unforced);
    for (const type of ["Delete", "Delete"])
      expect(await asked(type, lesser)).toMatchObject({ kind: "ok" });
    expect(await roles()).toEqual([]);
    expect(await fence()).not.toContain("eks-node-lifecycle");
  });

  it("leaves what is applied by hand, until its annotation is removed", async () => {
    const io = capturedIo();
    expect(await main(["manifests", "sample"], io)).toBe(0);
    const file = join(controlPlane.folder, "by-hand.yaml");
    writeFileSync(file, io.out());
    await controlPlane.kubectlText("apply", `--filename=${file}`);

    const deployedAndDeleted = async () => {
      expect(await asked("Create", stack.rights)).toMatchObject({ kind: "ok" });
      expect(await asked("Delete", stack.rights)).toMatchObject({ kind: "ok" });
      return fence();
    };
    expect(await deployedAndDeleted()).toContain("eks-node-lifecycle");
    expect(await roles()).toContain("eks-node-lifecycle-force");

    const key = "eks-node-lifecycle/owner-by-hand-";
    await controlPlane.kubectlText("annotate", `--filename=${file}`, key);
    expect(await deployedAndDeleted()).not.toContain("eks-node-lifecycle");
    expect(await roles()).toEqual([]);
  });
});

const rbac = "rbac.authorization.k8s.io";
const notToday = refusal({
  name: "not-today",
  message: "not today",
  match: {
    resourceRules: [
      {
        apiGroups: [rbac],
        apiVersions: ["*"],
        operations: ["CREATE"],
        resources: ["rolebindings"],
        resourceNames: ["eks-node-lifecycle", "eks-node-lifecycle-aws-auth-edit"],
      },
    ],
  },
});
const tooMuch = [
  {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRole",
    metadata: { name: "eks-node-lifecycle-too-much" },
    rules: [{ apiGroups: [""], resources: ["nodes", "pods"], verbs: ["*"] }],
  },
];
