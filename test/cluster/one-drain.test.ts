import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { main } from "../../cli/main.ts";
import { seconds } from "../../lambda/domain/time.ts";
import { capturedIo } from "../cli/captured-io.ts";
import { running } from "./ended-at-once.ts";
import { pod, podDisruptionBudget, replicaSet } from "./manifests.ts";
import { podRequests } from "./pod-requests.ts";
import { terminateHook } from "./real-groups.ts";
import { type RealWorld, startRealWorld } from "./real-world.ts";

const group = "workers";
const names = ["told-thrice", "at-a-terminal", "stopped", "stays"] as const;
const nodes = names.map((name, index) => ({
  name,
  instanceId: `i-0000000000000000${index + 1}`,
  zone: "eu-west-1a",
}));
const [thrice, terminal, stopped] = nodes.map(({ instanceId }) => instanceId);
const patience = { timeout: 90_000, interval: 200 };
const replicas = 8;

/** Pods that are on a node already, of which a budget lets some go at a time. */
const workloadOn = (node: string, allowed: number) => {
  const workload = { name: node, replicas, spec: { terminationGracePeriodSeconds: 3 } };
  return [
    ...Array.from({ length: replicas }, (_, index) =>
      pod({
        ...workload,
        name: `${node}-${index}`,
        labels: { app: node },
        spec: { ...workload.spec, nodeName: node },
      }),
    ),
    replicaSet(workload),
    podDisruptionBudget({ name: node, app: node, allows: { maxUnavailable: allowed } }),
  ];
};

describe("several drains of one node, on a real control plane", () => {
  let world: RealWorld;

  beforeAll(async () => {
    const mapping = { batchSize: 1, window: seconds(0), maximumConcurrency: 3 } as const;
    world = await startRealWorld({
      nodes,
      group,
      mapping: { ...mapping, responses: "report-batch-item-failures" },
    });
    const [first, second, third] = names;
    await world.controlPlane.apply(
      ...workloadOn(first, replicas),
      ...workloadOn(second, 2),
      ...workloadOn(third, 2),
    );
    await vi.waitFor(async () => expect((await running(world)).size).toBe(3 * replicas), patience);
  }, 120_000);
  afterAll(async () => world.stop());

  /** The UIDs of the pods of a workload that were granted to go, one for each time. */
  async function granted(app: string): Promise<readonly string[]> {
    const audit = await world.controlPlane.audit({ resource: "pods" });
    return podRequests(audit, "default")
      .filter(({ pod: name, code }) => name.startsWith(`${app}-`) && code < 300)
      .filter(({ uid }) => uid !== "")
      .map(({ uid }) => uid);
  }

  const drain = (node: string) => {
    const io = capturedIo();
    const access = ["--kubeconfig", world.controlPlane.kubeconfig, "--no-aws"];
    return { io, done: main(["drain", node, ...access], io) };
  };

  const completions = (instance: string | undefined) =>
    world.aws.autoScaling.actions().filter(({ instanceId }) => instanceId === instance);

  const textOf = (node: string) =>
    world.controlPlane.kubectlText("get", "node", node, "-o", "json");

  it("a hook, its event and a Spot interruption in three processes evict each pod once, and complete the hook once", async () => {
    const { aws, topicArn } = world;
    const send = (message: object) =>
      aws.sns.publish(topicArn, { subject: "", message: JSON.stringify(message) });
    const event = {
      version: "0",
      id: "1e5527d7-bb36-4607-3370-4164db56a40e",
      account: "123456789012",
      region: "eu-west-1",
      time: new Date().toISOString(),
      resources: [],
    };
    world.terminate(thrice ?? "");
    send({
      ...event,
      source: "aws.ec2",
      "detail-type": "EC2 Spot Instance Interruption Warning",
      detail: { "instance-id": thrice, "instance-action": "terminate" },
    });
    send({
      ...event,
      source: "aws.autoscaling",
      "detail-type": "EC2 Instance-terminate Lifecycle Action",
      detail: {
        LifecycleActionToken: completions(thrice)[0]?.token,
        AutoScalingGroupName: group,
        LifecycleHookName: terminateHook,
        EC2InstanceId: thrice,
        LifecycleTransition: "autoscaling:EC2_INSTANCE_TERMINATING",
        Origin: "AutoScalingGroup",
        Destination: "EC2",
      },
    });
    const actions = await world.released(thrice ?? "");
    expect(actions).toMatchObject([{ end: { result: "CONTINUE", by: "call" } }]);
    const uids = await granted("told-thrice");
    expect(uids).toHaveLength(replicas);
    expect(new Set(uids).size).toBe(replicas);
  }, 120_000);

  it("a drain at a terminal and the function evict each pod once, and both say that the node is drained", async () => {
    const { done } = drain("at-a-terminal");
    await vi.waitFor(
      async () => expect((await granted("at-a-terminal")).length).toBeGreaterThan(0),
      patience,
    );
    world.terminate(terminal ?? "");
    expect(await done).toBe(0);
    expect(await world.released(terminal ?? "")).toMatchObject([{ end: { result: "CONTINUE" } }]);
    const uids = await granted("at-a-terminal");
    expect(uids).toHaveLength(replicas);
    expect(new Set(uids).size).toBe(replicas);
  }, 120_000);

  it("Ctrl-C at the terminal leaves the node closed, and the function drains what is left", async () => {
    const { io, done } = drain("stopped");
    await vi.waitFor(
      async () => expect((await granted("stopped")).length).toBeGreaterThan(0),
      patience,
    );
    world.terminate(stopped ?? "");
    await vi.waitFor(
      async () =>
        expect(await textOf("stopped")).toContain('"eks-node-lifecycle/reason": "terminating"'),
      patience,
    );
    io.interrupt();
    expect(await done).toBe(3);
    expect(await textOf("stopped")).toContain('"unschedulable": true');
    expect(await world.released(stopped ?? "")).toMatchObject([{ end: { result: "CONTINUE" } }]);
    const uids = await granted("stopped");
    expect(uids).toHaveLength(replicas);
    expect(new Set(uids).size).toBe(replicas);
    expect(await textOf("stopped")).toContain('"unschedulable": true');
  }, 120_000);
});
