import { readFile } from "node:fs/promises";
import { EKSClient } from "@aws-sdk/client-eks";
import { CoreV1Api, type V1ConfigMap, type V1Taint } from "@kubernetes/client-node";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { awsClientOptions } from "../../lambda/aws/aws-client-options.ts";
import { openCluster, overTheNetwork } from "../../lambda/aws/eks-cluster-client.ts";
import { hours, instant, minutes } from "../../lambda/base/time.ts";
import { ServerClock } from "../../lambda/process/server-clock.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import type { IamName, IamRole } from "../../sandbox/aws/iam.ts";
import { Administrator } from "../contract/administrator.ts";
import type { ClusterNode } from "./control-plane-options.ts";
import { type RealWorld, startRealWorld } from "./real-world.ts";

const group = "workers";
const zone = "eu-west-1a";
const place = { name: "aws-auth", namespace: "kube-system" };
const nodesRole: IamName = { name: "nodes", path: "/" };
const patience = { timeout: 60_000, interval: 200 };

const entry = `- groups:
  - system:bootstrappers
  - system:nodes
  rolearn: arn:aws:iam::123456789012:role/nodes
  username: system:node:{{EC2PrivateDNSName}}
`;
const inBraces =
  '- {rolearn: "arn:aws:iam::123456789012:role/nodes", username: "system:node:{{EC2PrivateDNSName}}", groups: [system:bootstrappers, "system:nodes"]}\n';

let world: RealWorld;
let mapRoles = "";
let profileArn = "";
let role: IamRole;
const core = () => world.controlPlane.api(CoreV1Api);

beforeAll(async () => {
  const settings = {
    LAUNCH_RESULT_AT_DEADLINE: "ABANDON",
    LAUNCH_TIMEOUT_SECONDS: "120",
    EVENT_REMOVE_NODE: "terminated",
  };
  world = await startRealWorld({ nodes: [], group, settings });
  const { iam, autoScaling } = world.aws;
  role = iam.createRole(nodesRole);
  ({ arn: profileArn } = iam.createInstanceProfile(nodesRole, [role]));
  autoScaling.putHook(group, {
    name: "Launch-LC-Hook",
    transition: "autoscaling:EC2_INSTANCE_LAUNCHING",
    heartbeat: minutes(30),
    defaultResult: "ABANDON",
    targetArn: world.topicArn,
  });
  const removal = new URL("../../lambda/rights/rbac-node-removal.yaml", import.meta.url);
  await world.controlPlane.apply(await readFile(removal, "utf8"));
  mapRoles = await mapRolesNow();
});
afterAll(() => world.stop());

async function mapRolesNow(): Promise<string> {
  const { data }: V1ConfigMap = await core().readNamespacedConfigMap(place);
  const { mapRoles: text = "" } = data ?? {};
  return text;
}

async function writeMap(text: string): Promise<void> {
  const body = { metadata: place, data: { mapRoles: text } };
  await core().replaceNamespacedConfigMap({ ...place, body });
}

let count = 0;
function newInstance(): ClusterNode {
  count += 1;
  const instanceId = `i-0a1b2c3d4e5f6000${count.toString(16)}`;
  return { name: `ip-10-0-9-${count}.eu-west-1.compute.internal`, instanceId, zone };
}

/** Auto Scaling launches an instance, and the hook holds it. */
function launch({ name: privateDnsName, instanceId: id }: ClusterNode, age = minutes(0)): void {
  const launchedAt = instant(Date.now() - age);
  const privateIp = `10.0.9.${count}`;
  world.aws.ec2.run({ id, zone, privateIp, privateDnsName, profileArn, launchedAt });
  world.aws.autoScaling.launch({ id, zone, group }, "launch");
}

/** The instance registers its node and reports it ready, by a token that the authenticator judges. */
async function join(
  { name, instanceId }: ClusterNode,
  taints: readonly V1Taint[] = [],
): Promise<void> {
  const { region } = world.aws.account;
  const key = world.aws.keys.assume({ role, sessionName: instanceId, duration: hours(1) });
  const signer = { accessKeyId: key.accessKeyId, secretAccessKey: key.secretAccessKey };
  const credentials =
    key.sessionToken === "" ? signer : { ...signer, sessionToken: key.sessionToken };
  const eks = new EKSClient({ ...awsClientOptions(region), endpoint: world.url, credentials });
  const clock = new ServerClock(systemClock);
  const own = { eks, clusterName: "demo", region, clock, open: overTheNetwork(clock) };
  const client = openCluster({ ...own, credentials: async () => credentials });
  const kubelet = new Administrator(await client.connection());
  const node = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name },
    spec: { providerID: `aws:///${zone}/${instanceId}`, taints },
  };
  // The authenticator refuses a name that it is still asking EC2 for.
  await vi.waitFor(() => kubelet.make(node), patience);
  const now = new Date().toISOString();
  const ready = { type: "Ready", status: "True", reason: "KubeletReady", message: "" };
  const conditions = [{ ...ready, lastHeartbeatTime: now, lastTransitionTime: now }];
  await kubelet.change(node, { status: { conditions } }, "/status");
}

const linesOf = ({ instanceId }: ClusterNode): string =>
  world.log.filter((line) => line.includes(instanceId)).join("\n");

it.each<[string, (mapped: string) => string, string]>([
  ["begins with ---", (mapped) => `---\n${mapped}${entry}`, "access.unreadable"],
  ["has braces", (mapped) => mapped + inBraces, "access.unreadable"],
  [
    "has an anchor",
    (mapped) => mapped + entry.replace("groups:", "groups: &nodes"),
    "access.unreadable",
  ],
  [
    "has an escape",
    (mapped) => mapped + entry.replace("system:nodes", '"system:\\x6eodes"'),
    "access.unreadable",
  ],
  ["ends with ...", (mapped) => `${mapped}${entry}...\n`, "access.unreadable"],
  ["begins with a byte order mark", (mapped) => `\ufeff${mapped}${entry}`, "access.unreadable"],
  ["has a second document", (mapped) => `${mapped}${entry}---\n[]\n`, "access.unreadable"],
  [
    "is longer than 100,000 characters",
    (mapped) => mapped + entry + "# a comment that means nothing\n".repeat(4000),
    "access.unreadable",
  ],
  [
    "gives the role system:nodes alone",
    (mapped) => mapped + entry.replace("  - system:bootstrappers\n", ""),
    "access.taken",
  ],
])(
  "ends no ready instance with ABANDON where the authenticator reads an aws-auth that %s",
  async (_, textOf, code) => {
    const coming = newInstance();
    const text = textOf(mapRoles);
    await writeMap(text);
    launch(coming);
    await join(coming);

    const [ended] = await world.released(coming.instanceId);
    expect(ended).toMatchObject({ end: { result: "CONTINUE", by: "call" } });
    await expect.poll(() => linesOf(coming), patience).toContain('"kind":"joined"');
    expect(linesOf(coming)).toContain(`"code":"${code}"`);
    expect(await mapRolesNow()).toBe(text);
  },
  90_000,
);

it("ends a launch as not joined where a kubelet reports to the node of an ended instance, and keeps that node", async () => {
  await writeMap(mapRoles + entry);
  const former = newInstance();
  await world.controlPlane.nodeUp(former);
  const coming = { ...newInstance(), name: former.name };
  launch(coming, minutes(5));

  const [ended] = await world.released(coming.instanceId);
  expect(ended).toMatchObject({ end: { result: "ABANDON", by: "call" } });
  await expect
    .poll(() => linesOf(coming), patience)
    .toMatch(new RegExp(`not-joined.*that of ${former.instanceId}, which has ended`));
  const { spec } = await core().readNode({ name: former.name });
  expect(spec?.providerID).toContain(former.instanceId);
}, 90_000);

it("removes the node of an ended instance before a kubelet registers under its name", async () => {
  await writeMap(mapRoles + entry);
  const former = newInstance();
  world.aws.ec2.run({
    id: former.instanceId,
    zone,
    privateIp: "10.0.9.200",
    privateDnsName: former.name,
    tags: { "aws:autoscaling:groupName": group },
  });
  world.aws.ec2.setState(former.instanceId, "shutting-down");
  world.aws.ec2.setState(former.instanceId, "terminated");
  const { name } = former;
  const spec = { providerID: `aws:///${zone}/${former.instanceId}`, unschedulable: true };
  await core().createNode({ body: { metadata: { name }, spec } });
  const now = new Date();
  const silent = { type: "Ready", status: "Unknown", reason: "NodeStatusUnknown", message: "" };
  const conditions = [{ ...silent, lastHeartbeatTime: now, lastTransitionTime: now }];
  await world.controlPlane.kubectlText(
    "patch",
    "node",
    name,
    "--subresource=status",
    "--type=merge",
    `--patch=${JSON.stringify({ status: { conditions } })}`,
  );
  const coming = { ...newInstance(), name };
  launch(coming);
  await vi.waitFor(
    () => expect(core().readNode({ name })).rejects.toMatchObject({ code: 404 }),
    patience,
  );
  await join(coming);

  const [ended] = await world.released(coming.instanceId);
  expect(ended).toMatchObject({ end: { result: "CONTINUE", by: "call" } });
}, 90_000);

it("holds an instance until the controller for node readiness has taken the last of its taints, whatever their names", async () => {
  await writeMap(mapRoles + entry);
  const coming = newInstance();
  const taintOf = (rule: string) => ({ key: `readiness.k8s.io/${rule}`, effect: "NoSchedule" });
  launch(coming);
  await join(coming, [taintOf("network"), taintOf("gpu.example.com")]);

  await vi.waitFor(
    () =>
      expect(linesOf(coming)).toContain(
        `node ${coming.name} still has the taint readiness.k8s.io/network, readiness.k8s.io/gpu.example.com`,
      ),
    patience,
  );
  const admit = (taints: readonly V1Taint[]) =>
    core().patchNode({
      name: coming.name,
      body: [{ op: "replace", path: "/spec/taints", value: taints }],
    });
  await admit([taintOf("gpu.example.com")]);
  await vi.waitFor(
    () => expect(linesOf(coming)).toContain("has the taint readiness.k8s.io/gpu.example.com"),
    patience,
  );
  const action = world.aws.autoScaling
    .actions()
    .find(({ instanceId }) => instanceId === coming.instanceId);
  expect(action?.end).toEqual({ kind: "open" });
  await admit([]);

  const [ended] = await world.released(coming.instanceId);
  expect(ended).toMatchObject({ end: { result: "CONTINUE", by: "call" } });
  await expect.poll(() => linesOf(coming), patience).toContain('"kind":"joined"');
}, 120_000);
