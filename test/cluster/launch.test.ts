import { CoreV1Api } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { minutes } from "../../lambda/base/time.ts";
import type { ActionRecord } from "../../sandbox/aws/auto-scaling/lifecycle-action.ts";
import { mutatingVerbs } from "./audit-log.ts";
import { type RealWorld, startRealWorld } from "./real-world.ts";

const group = "eks-demo-ng-02c1ba5d-75b6-fbdf-4569-aa31827ad412";
const hook = "Launch-LC-Hook";
// The values of events/demo-ng-launch.json.
const token = "c48e2b7f-1d05-4a93-8e6c-90f7a3d15b28";
const launching = {
  name: "ip-192-168-51-9.eu-west-1.compute.internal",
  instanceId: "i-0d5e8a1b2c3f40596",
  zone: "eu-west-1a",
};
const place = { name: "aws-auth", namespace: "kube-system" };
const patience = { timeout: 60_000, interval: 100 };
const entry = `- groups:
  - system:bootstrappers
  - system:nodes
  rolearn: arn:aws:iam::123456789012:role/eks-demo-node
  username: system:node:{{EC2PrivateDNSName}}
`;

describe("the demo group's launching instance, on a real control plane", () => {
  let world: RealWorld;
  let before: string;
  let actions: readonly ActionRecord[];
  let openUntilJoined: boolean;

  beforeAll(async () => {
    world = await startRealWorld({ nodes: [], group });
    before = await mapRoles();
    launch(world);
    await vi.waitFor(async () => expect(await mapRoles()).not.toBe(before), patience);
    openUntilJoined = world.aws.autoScaling.actions().every(({ end }) => end.kind === "open");
    await world.controlPlane.nodeUp(launching);
    actions = await world.released(launching.instanceId);
  });
  afterAll(async () => world.stop());

  async function mapRoles(): Promise<string> {
    const core = world.controlPlane.api(CoreV1Api);
    const { mapRoles: text = "" } = (await core.readNamespacedConfigMap(place)).data ?? {};
    return text;
  }

  it("has its role in aws-auth before its node joins, as a managed node group would write it", async () => {
    expect(await mapRoles()).toBe(before + entry);
    expect(before).toContain("role/eks-node-lifecycle-demo");
  });

  it("is held until its node is ready, and then enters service with the token of its notice", async () => {
    expect(openUntilJoined).toBe(true);
    expect(actions).toMatchObject([{ token, end: { result: "CONTINUE", by: "call" } }]);
    const [instance] = world.aws.autoScaling.register.instances();
    expect(instance).toMatchObject({ id: launching.instanceId, state: "InService" });
    const core = world.controlPlane.api(CoreV1Api);
    const { status } = await core.readNode({ name: launching.name });
    const ready = status?.conditions?.find(({ type }) => type === "Ready");
    expect(ready?.status).toBe("True");
    expect(world.log.join("")).toContain('"outcome":{"kind":"joined"');
  });

  it.each([
    ["after its instance alone", "i-0a1b2c3d4e5f60718", "i-0a1b2c3d4e5f60718"],
    ["in a way that EC2 does not know", "i-0a1b2c3d4e5f60719", "gpu-7"],
  ])("finds a node in the pass in which it comes that is named %s", async (_, instanceId, name) => {
    const { zone } = launching;
    const profileArn = world.aws.iam.instanceProfileArn("eks-demo-node");
    world.aws.ec2.run({ id: instanceId, zone, privateIp: "192.168.51.10", profileArn });
    world.aws.autoScaling.launch({ id: instanceId, zone, group }, "launch");
    const told = (kind: string) =>
      world.log.filter((line) => line.includes(`"kind":"${kind}"`) && line.includes(instanceId));
    await vi.waitFor(() => expect(told("node-awaited")).not.toEqual([]), patience);

    await world.controlPlane.nodeUp({ name, instanceId, zone });

    await world.released(instanceId);
    expect(told("pass-started")).toHaveLength(1);
    await vi.waitFor(
      () => expect(told("notice-done")).toEqual([expect.stringContaining(`"node":"${name}"`)]),
      patience,
    );
  });

  it("causes no writes except to aws-auth, and Events about that and about the node", async () => {
    const audit = await world.controlPlane.audit({
      userAgent: "eks-node-lifecycle/",
      verbs: mutatingVerbs,
    });

    const written = audit.filter(({ stage }) => stage === "ResponseComplete");
    const [first, ...events] = written.map(
      ({ verb, resource, code }) => `${verb} ${resource} ${code}`,
    );
    expect(first).toBe("update configmaps 200");
    expect(new Set(events)).toEqual(new Set(["create events 201"]));
    const reasons = written.flatMap(({ requestObject }) =>
      Object(requestObject).apiVersion === "events.k8s.io/v1" ? [Object(requestObject).reason] : [],
    );
    expect(new Set(reasons)).toEqual(
      new Set(["NodeRoleMapped", "RoleRegistered", "LaunchCompleted"]),
    );
  });
});

/** Auto Scaling starts the instance under the group's role; its launch hook holds it. */
function launch({ aws, topicArn }: RealWorld): void {
  const { iam, ec2, autoScaling } = aws;
  const role = iam.createRole({ name: "eks-demo-node", path: "/" });
  const { arn: profileArn } = iam.createInstanceProfile({ name: "eks-demo-node", path: "/" }, [
    role,
  ]);
  const { name, instanceId: id, zone } = launching;
  autoScaling.putHook(group, {
    name: hook,
    transition: "autoscaling:EC2_INSTANCE_LAUNCHING",
    heartbeat: minutes(30),
    defaultResult: "ABANDON",
    targetArn: topicArn,
  });
  ec2.run({ id, zone, privateIp: "192.168.51.9", privateDnsName: name, profileArn });
  autoScaling.launch({ id, zone, group }, "launch", { [hook]: token });
}
