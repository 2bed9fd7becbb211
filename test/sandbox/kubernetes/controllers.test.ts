import { describe, expect, it } from "vitest";
import { minutes, seconds } from "../../../lambda/base/time.ts";
import { VirtualCluster } from "./virtual-cluster.ts";

const deploymentPath = "/apis/apps/v1/namespaces/default/deployments/web";

describe("a Deployment", () => {
  it("adopts the pods that it is given, on their nodes and under their names, and creates the rest", () => {
    const world = new VirtualCluster().withNodes("node-1", "node-2");
    world.cluster.addDeployment({
      name: "web",
      hash: "7587998bf4",
      replicas: 2,
      pods: [{ name: "web-7587998bf4-dkd5t", node: "node-1" }],
    });
    expect(world.serving("node-1")).toEqual(["web-7587998bf4-dkd5t"]);

    world.pass(seconds(5));

    expect(world.serving("node-1")).toEqual(["web-7587998bf4-dkd5t"]);
    expect(world.serving("node-2")).toEqual([
      expect.stringMatching(/^web-7587998bf4-[a-z0-9]{5}$/),
    ]);
  });

  it("follows its scale, and removes unready pods first", async () => {
    const world = new VirtualCluster().withNodes("node-1");
    const annotations = { "hollow/ready-after": "60" };
    const pods = [{ name: "web-old", node: "node-1" }];
    world.cluster.addDeployment({ name: "web", replicas: 1, annotations, pods });
    world.pass(seconds(61));
    await world.patch(deploymentPath, { spec: { replicas: 3 } });
    world.pass(seconds(5));
    expect(world.pods()).toHaveLength(3);

    await world.patch(deploymentPath, { spec: { replicas: 1 } });
    world.pass(seconds(5));

    expect(world.pods().map(({ metadata }) => metadata.name)).toEqual(["web-old"]);
  });
});

describe("a ReplicaSet with too many pods", () => {
  it("ends one that shares its node with others, be it the oldest, and before that the cheapest", async () => {
    const world = new VirtualCluster().withNodes("node-1", "node-2");
    const pods = ["web-1", "web-2", "web-3"].map((name) => ({
      name,
      node: name === "web-3" ? "node-2" : "node-1",
    }));
    world.cluster.addDeployment({ name: "web", replicas: 3, pods });
    world.pass(seconds(5));
    await world.patch(deploymentPath, { spec: { replicas: 2 } });
    world.pass(seconds(5));
    expect(world.serving("node-2")).toEqual(["web-3"]);

    const cheap = { "controller.kubernetes.io/pod-deletion-cost": "-1" };
    const path = "/api/v1/namespaces/default/pods/web-3";
    await world.patch(path, { metadata: { annotations: cheap } });
    await world.patch(deploymentPath, { spec: { replicas: 1 } });
    world.pass(seconds(5));
    expect(world.serving("node-2")).toEqual([]);
  });
});

describe("a StatefulSet", () => {
  it("reuses a name only when the old pod is gone, for a pod with a new UID", async () => {
    const world = new VirtualCluster().withNodes("node-1", "node-2");
    const annotations = { "hollow/term-seconds": "10" };
    const pods = [{ name: "db-0", node: "node-1" }];
    world.cluster.addStatefulSet({ name: "db", replicas: 1, annotations, pods });
    const { uid } = world.pod("db-0")?.metadata ?? { uid: "" };
    await world.cordon("node-1");

    await world.evict("db-0");
    world.pass(seconds(9));
    expect(world.pod("db-0")?.metadata.uid).toBe(uid);
    world.pass(seconds(5));

    expect(world.pod("db-0")?.metadata.uid).not.toBe(uid);
    expect(world.serving("node-2")).toEqual(["db-0"]);
  });
});

describe("a DaemonSet", () => {
  it("has one pod on every node, and on each node that joins", () => {
    const world = new VirtualCluster().withNodes("node-1", "node-2");
    world.cluster.addDaemonSet({ name: "agent", pods: [{ name: "agent-j2c7p", node: "node-1" }] });

    world.pass(seconds(3));
    expect(world.serving("node-1")).toEqual(["agent-j2c7p"]);
    expect(world.serving("node-2")).toHaveLength(1);
    world.withNodes("node-3");
    world.pass(seconds(3));

    expect(world.serving("node-3")).toHaveLength(1);
  });

  it("puts no pod on a node with another taint, and leaves the existing pods there", async () => {
    const world = new VirtualCluster().withNodes("node-1", "node-2");
    world.cluster.addDaemonSet({
      name: "agent",
      pods: ["node-1", "node-2"].map((node) => ({ name: `agent-${node}`, node })),
    });
    const taints = [{ key: "example.com/leaving", effect: "NoSchedule" }];
    await world.patch("/api/v1/nodes/node-1", { spec: { taints } });
    await world.patch("/api/v1/nodes/node-2", { spec: { taints } });

    await world.evict("agent-node-1");
    world.pass(minutes(1));

    expect(world.serving("node-1")).toEqual([]);
    expect(world.serving("node-2")).toEqual(["agent-node-2"]);
  });
});

describe("the scheduler", () => {
  it("leaves a pod pending if no node can take it, and says why", async () => {
    const world = new VirtualCluster().withNodes("node-1", "node-2");
    world.cluster.addNode({ name: "node-3", state: "not-ready" });
    world.cluster.addNode({ name: "node-4", maxPods: 0 });
    world.cluster.addNode({ name: "node-5", taints: [{ key: "gpu", effect: "NoSchedule" }] });
    await world.cordon("node-1");
    world.cluster.addPod({ name: "web", spec: { nodeSelector: { no: "way" } } });

    world.pass(seconds(1));

    const told = world.pod("web")?.status.conditions?.find(({ type }) => type === "PodScheduled");
    expect(told).toMatchObject({ status: "False", reason: "Unschedulable" });
    expect(told?.message).toContain("0/5 nodes are available");
    expect(told?.message).toContain("1 node(s) were unschedulable");
    expect(world.pod("web")?.spec.nodeName).toBeUndefined();
  });

  it.each([
    ["the taint of a cordon", "node.kubernetes.io/unschedulable"],
    ["everything", undefined],
  ])("puts a pod that tolerates %s on a cordoned node", async (_, key) => {
    const world = new VirtualCluster().withNodes("node-1");
    await world.cordon("node-1");
    world.pass(seconds(1));

    world.cluster.addPod({ name: "web", spec: { tolerations: [{ key, operator: "Exists" }] } });
    world.pass(seconds(5));

    expect(world.serving("node-1")).toEqual(["web"]);
  });

  it("prefers a full node without pods of the same owner, and does not count terminating pods", async () => {
    const world = new VirtualCluster().withNodes("node-1", "node-2");
    for (const name of ["a", "b", "c"]) world.cluster.addPod({ name, node: "node-1" });
    const annotations = { "hollow/term-seconds": "never" };
    const pods = [
      { name: "web-1", node: "node-1" },
      { name: "web-2", node: "node-2" },
    ];
    world.cluster.addDeployment({ name: "web", replicas: 2, annotations, pods });

    await world.evict("web-1");
    world.pass(seconds(5));

    expect(world.serving("node-2")).toEqual(["web-2"]);
    expect(world.serving("node-1")).toContainEqual(expect.stringMatching(/^web-.{10}-.{5}$/));
  });

  it("gives a pod the zone of its node", () => {
    const world = new VirtualCluster();
    world.cluster.addNode({ name: "node-1", providerID: "aws:///eu-west-1a/i-07e9ea9eb19a67337" });
    world.cluster.addPod({ name: "web" });

    world.pass(seconds(3));

    expect(world.pod("web")?.metadata.labels).toEqual({
      "topology.kubernetes.io/region": "eu-west-1",
      "topology.kubernetes.io/zone": "eu-west-1a",
    });
  });

  it("decides alike in every run with the same seed, and differently with another", () => {
    const names = (seed: number) => {
      const world = new VirtualCluster({ seed }).withNodes("node-1");
      world.cluster.addDeployment({ name: "web", replicas: 3 });
      world.pass(seconds(5));
      return world.pods().map(({ metadata }) => `${metadata.name} ${metadata.uid}`);
    };

    expect(names(7)).toEqual(names(7));
    expect(names(7)).not.toEqual(names(8));
  });
});
