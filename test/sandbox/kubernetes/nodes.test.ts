import { describe, expect, it } from "vitest";
import { minutes, seconds } from "../../../lambda/base/time.ts";
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

  it.each(["json-patch", "strategic-merge-patch"])(
    "cannot be changed by a %s: the sandbox refuses it as an unknown patch type",
    async (kind) => {
      const world = new VirtualCluster().withNodes("node-1");
      const change = { spec: { unschedulable: true } };

      const refused = await world.patch("/api/v1/nodes/node-1", change, kind);

      expect(refused).toMatchObject({ status: 415, body: { reason: "UnsupportedMediaType" } });
      expect(world.node("node-1").spec.unschedulable).toBeUndefined();
    },
  );

  it("that is added not ready is tainted, until its kubelet reports it ready", () => {
    const world = new VirtualCluster();
    world.cluster.addNode({ name: "node-1", state: "not-ready" });
    world.pass(seconds(1));
    expect(readiness(world, "node-1")).toBe("False");
    expect(taintsOf(world, "node-1")).toContain("node.kubernetes.io/not-ready:NoExecute");

    world.cluster.reportNode("node-1", "ready");
    world.pass(seconds(1));

    expect(readiness(world, "node-1")).toBe("True");
    expect(taintsOf(world, "node-1")).toEqual([]);
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

  it("whose kubelet is silent keeps its terminating pods until the kubelet works again", async () => {
    const world = new VirtualCluster().withNodes("node-1");
    world.cluster.addPod({ name: "web", node: "node-1" });
    world.cluster.stopKubelet("node-1");

    await world.evict("web");
    world.pass(minutes(30));
    expect(world.pod("web")?.metadata.deletionTimestamp).toBeDefined();
    world.cluster.resumeKubelet("node-1");
    world.pass(seconds(2));

    expect(world.pods()).toEqual([]);
    expect(readiness(world, "node-1")).toBe("True");
    expect(taintsOf(world, "node-1")).toEqual([]);
  });

  it("whose kubelet reports again in time never becomes unknown", () => {
    const world = new VirtualCluster().withNodes("node-1");
    world.cluster.stopKubelet("node-1");
    world.pass(seconds(30));
    world.cluster.resumeKubelet("node-1");
    world.pass(seconds(1));
    world.cluster.stopKubelet("node-1");
    world.pass(seconds(30));

    expect(readiness(world, "node-1")).toBe("True");
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

  it("that is removed leaves its pods in the API for a minute", () => {
    const world = new VirtualCluster().withNodes("node-1", "node-2");
    world.cluster.addPod({ name: "bare", node: "node-1" });
    world.cluster.addDaemonSet({ name: "agent", pods: [{ name: "agent-old", node: "node-1" }] });

    world.cluster.removeNode("node-1");
    world.pass(seconds(59));
    expect(world.pod("bare")).toBeDefined();
    world.pass(seconds(2));

    expect(world.pod("bare")).toBeUndefined();
    expect(world.pod("agent-old")).toBeUndefined();
  });

  it("can be replaced by a new node of the same name", () => {
    const world = new VirtualCluster().withNodes("node-1");
    const { uid } = world.node("node-1").metadata;
    world.cluster.removeNode("node-1");
    world.withNodes("node-1");
    world.cluster.addPod({ name: "web" });

    world.pass(seconds(3));

    expect(world.node("node-1").metadata.uid).not.toBe(uid);
    expect(world.serving("node-1")).toEqual(["web"]);
  });
});

describe("a namespace", () => {
  it("that is deleted deletes its content first, and is gone last", async () => {
    const world = new VirtualCluster().withNodes("node-1");
    const annotations = { "hollow/term-seconds": "5" };
    world.cluster.addPod({ name: "web", namespace: "demo", node: "node-1", annotations });
    world.cluster.addConfigMap({ metadata: { name: "settings", namespace: "demo" } });

    world.cluster.terminateNamespace("demo");
    world.pass(seconds(3));
    const during = await world.ask("GET", "/api/v1/namespaces/demo");
    expect(during.body.status).toMatchObject({ phase: "Terminating" });
    expect(world.pod("web", "demo")?.metadata.deletionTimestamp).toBeDefined();
    const gone = await world.ask("GET", "/api/v1/namespaces/demo/configmaps/settings");
    expect(gone.status).toBe(404);
    world.pass(seconds(5));

    expect((await world.ask("GET", "/api/v1/namespaces/demo")).status).toBe(404);
  });
});
