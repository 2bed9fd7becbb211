import { describe, expect, it } from "vitest";
import { seconds } from "../../../lambda/base/time.ts";
import { VirtualCluster } from "./virtual-cluster.ts";

const taintsOf = (world: VirtualCluster, name: string) =>
  (world.node(name).spec.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);

const readiness = (world: VirtualCluster, name: string) =>
  world.node(name).status.conditions?.find(({ type }) => type === "Ready")?.status;

describe("a node", () => {
  it("gets the taint of a cordon, keeps its other taints, and loses the cordon's when it is uncordoned", async () => {
    const world = new VirtualCluster();
    world.cluster.addNode({ name: "node-1", taints: [{ key: "gpu", effect: "NoSchedule" }] });

    await world.cordon("node-1");
    world.pass(seconds(1));
    expect(taintsOf(world, "node-1")).toEqual([
      "gpu:NoSchedule",
      "node.kubernetes.io/unschedulable:NoSchedule",
    ]);
    await world.patch("/api/v1/nodes/node-1", { spec: { unschedulable: false } });
    world.pass(seconds(1));

    expect(taintsOf(world, "node-1")).toEqual(["gpu:NoSchedule"]);
  });

  it("whose kubelet is silent is unknown after forty seconds, and its pods count as not ready", () => {
    const world = new VirtualCluster().withNodes("node-1");
    world.cluster.addPod({ name: "web", node: "node-1" });

    world.cluster.stopKubelet("node-1");
    world.pass(seconds(39));
    expect(readiness(world, "node-1")).toBe("True");
    world.pass(seconds(2));

    expect(readiness(world, "node-1")).toBe("Unknown");
    expect(taintsOf(world, "node-1")).toEqual([
      "node.kubernetes.io/unreachable:NoSchedule",
      "node.kubernetes.io/unreachable:NoExecute",
    ]);
    expect(world.serving("node-1")).toEqual([]);
    expect(world.pod("web")?.status.phase).toBe("Running");
  });

  it("that stays unknown loses its pods after five minutes, whatever their budget says", () => {
    const world = new VirtualCluster().withNodes("node-1", "node-2");
    world.cluster.addDeployment({ name: "web", pods: [{ name: "web-old", node: "node-1" }] });
    world.cluster.addBudget({ name: "web", minAvailable: 1 });
    world.cluster.stopKubelet("node-1");

    world.pass(seconds(40 + 299));
    expect(world.pod("web-old")?.metadata.deletionTimestamp).toBeUndefined();
    world.pass(seconds(5));

    expect(world.pod("web-old")).toMatchObject({
      metadata: { deletionTimestamp: expect.any(String) },
      status: {
        conditions: expect.arrayContaining([
          expect.objectContaining({ type: "DisruptionTarget", reason: "DeletionByTaintManager" }),
        ]),
      },
    });
    expect(world.serving("node-2")).toHaveLength(1);
  });

  it("with a NoExecute taint loses at once the pods that do not tolerate it", async () => {
    const world = new VirtualCluster().withNodes("node-1");
    const tolerations = [{ key: "out", operator: "Equal", value: "yes", effect: "NoExecute" }];
    world.cluster.addPod({ name: "tough", node: "node-1", spec: { tolerations } });
    world.cluster.addPod({ name: "web", node: "node-1" });

    await world.patch("/api/v1/nodes/node-1", {
      spec: { taints: [{ key: "out", value: "yes", effect: "NoExecute" }] },
    });
    world.pass(seconds(5));

    expect(world.pods().map(({ metadata }) => metadata.name)).toEqual(["tough"]);
  });
});
