import { describe, expect, it } from "vitest";
import { minutes, seconds } from "../../lambda/base/time.ts";
import { pods } from "../../sandbox/kubernetes/core-resources.ts";
import { Deleter } from "../../sandbox/kubernetes/deletion.ts";
import { SandboxCluster } from "../../sandbox/kubernetes/sandbox-cluster.ts";
import { type Appearance, holdOnPod, watchPods } from "../../sandbox/pod-watch.ts";
import { VirtualTimeline } from "../../sandbox/timeline.ts";
import { start } from "../support/aws-account.ts";

function watched() {
  const timeline = new VirtualTimeline(start);
  const cluster = new SandboxCluster(timeline);
  for (const name of ["node-a", "node-b"]) cluster.addNode({ name });
  cluster.addDeployment({
    name: "web",
    namespace: "demo",
    replicas: 2,
    hash: "abc",
    pods: [
      { name: "web-abc-1", node: "node-a" },
      { name: "web-abc-2", node: "node-a" },
    ],
  });
  const told: Appearance[] = [];
  const cancel = watchPods(cluster, (appearance) => told.push(appearance));
  const deleter = new Deleter(cluster.store, () => timeline.now());
  const remove = (name: string) => deleter.delete({ resource: pods, namespace: "demo", name });
  return { timeline, cluster, told, cancel, remove };
}

describe("the watch over pods", () => {
  it("reports a pod once, when it becomes ready, with the pod that it replaces", () => {
    const { timeline, told, remove } = watched();

    remove("web-abc-1");
    expect(told).toEqual([]);
    timeline.pass(minutes(1));

    expect(told).toEqual([
      { pod: expect.stringMatching(/^demo\/web-abc-/), node: "node-b", replaces: "demo/web-abc-1" },
    ]);
  });

  it("gives each pod that left its own successor", () => {
    const { timeline, told, remove } = watched();

    remove("web-abc-1");
    remove("web-abc-2");
    timeline.pass(minutes(1));

    expect(told).toHaveLength(2);
    expect(new Set(told.map(({ replaces }) => replaces))).toEqual(
      new Set(["demo/web-abc-1", "demo/web-abc-2"]),
    );
  });
});

describe("the hold on a pod", () => {
  it("lists every budget of the pod that allows no disruption", () => {
    const { timeline, cluster } = watched();
    cluster.addBudget({ name: "web", namespace: "demo", maxUnavailable: 0 });
    cluster.addBudget({ name: "web", namespace: "other", maxUnavailable: 0 });
    const selector = { matchLabels: { app: "web" } };
    cluster.addBudget({ name: "too", namespace: "demo", minAvailable: 2, selector });
    timeline.pass(seconds(5));

    expect(holdOnPod(cluster, "demo/web-abc-1")).toEqual({
      budgets: "budget demo/too allows no disruption, budget demo/web allows no disruption",
    });
  });

  it("ends when the pod begins to terminate", () => {
    const { timeline, cluster, remove } = watched();

    remove("web-abc-1");
    expect(holdOnPod(cluster, "demo/web-abc-1")).toBe("ending");
    timeline.pass(minutes(1));

    expect(holdOnPod(cluster, "demo/web-abc-1")).toBe("gone");
  });
});
