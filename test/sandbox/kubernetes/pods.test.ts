import { describe, expect, it } from "vitest";
import { milliseconds, minutes, seconds } from "../../../lambda/base/time.ts";
import { podRemoval } from "../../../sandbox/kubernetes/pod-lifecycle.ts";
import { VirtualCluster } from "./virtual-cluster.ts";

const phases = async (cluster: VirtualCluster, name: string) => {
  const watch = await cluster.watch(
    `/api/v1/namespaces/default/pods?watch=1&fieldSelector=metadata.name%3D${name}`,
  );
  return () => watch.lines.map(({ type, object }) => `${type} ${object.status?.phase}`);
};

describe("a pod", () => {
  it("ends a second after its deletion, and shows phase Succeeded before it is gone", async () => {
    const world = new VirtualCluster().withNodes("node-1");
    world.cluster.addPod({ name: "web", node: "node-1" });
    const seen = await phases(world, "web");

    await world.evict("web");
    world.pass(milliseconds(900));
    expect(world.pod("web")?.status.phase).toBe("Running");
    world.pass(milliseconds(200));
    expect(world.pod("web")?.status.phase).toBe("Succeeded");
    world.pass(podRemoval);

    expect(world.pod("web")).toBeUndefined();
    expect(seen()).toEqual([
      "ADDED Running",
      "MODIFIED Running",
      "MODIFIED Running",
      "MODIFIED Succeeded",
      "MODIFIED Succeeded",
      "DELETED Succeeded",
    ]);
  });

  it("takes as long to end as hollow/term-seconds says, but no longer than its grace", async () => {
    const world = new VirtualCluster().withNodes("node-1");
    const spec = { terminationGracePeriodSeconds: 20 };
    world.cluster.addPod({
      name: "slow",
      node: "node-1",
      spec,
      annotations: { "hollow/term-seconds": "7" },
    });
    world.cluster.addPod({
      name: "deaf",
      node: "node-1",
      spec,
      annotations: { "hollow/term-seconds": "never" },
    });

    await world.evict("slow");
    await world.evict("deaf");
    world.pass(milliseconds(6_900));
    expect(world.pods()).toHaveLength(2);
    world.pass(milliseconds(200 + podRemoval));
    expect(world.pods().map(({ metadata }) => metadata.name)).toEqual(["deaf"]);
    world.pass(seconds(12));
    expect(world.pods()).toHaveLength(1);
    world.pass(seconds(2));
    expect(world.pods()).toEqual([]);
  });

  it("that completes is finished, and stays in the API", () => {
    const world = new VirtualCluster().withNodes("node-1");
    world.cluster.addPod({
      name: "job",
      annotations: { "hollow/exit.main": "3" },
      spec: { restartPolicy: "Never" },
    });

    world.pass(seconds(4));
    expect(world.pod("job")?.status.phase).toBe("Running");
    world.pass(minutes(5));

    expect(world.pod("job")?.status.phase).toBe("Succeeded");
  });

  it("waits for its init containers, and waits for ever if one does not end", () => {
    const world = new VirtualCluster().withNodes("node-1");
    const initContainers = [{ name: "first" }];
    world.cluster.addPod({
      name: "prepared",
      annotations: { "hollow/exit.first": "5" },
      spec: { initContainers },
    });
    world.cluster.addPod({ name: "stuck", spec: { initContainers } });

    world.pass(seconds(5));
    expect(world.pod("prepared")?.status.phase).toBe("Pending");
    world.pass(minutes(5));

    expect(world.pod("prepared")?.status.phase).toBe("Running");
    expect(world.pod("stuck")?.status.phase).toBe("Pending");
  });
});
