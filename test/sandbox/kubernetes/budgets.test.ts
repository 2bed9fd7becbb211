import { describe, expect, it } from "vitest";
import { seconds } from "../../../lambda/base/time.ts";
import { deployments } from "../../../sandbox/kubernetes/app-resources.ts";
import { budgets, type PodDisruptionBudget } from "../../../sandbox/kubernetes/budget.ts";
import { VirtualCluster } from "./virtual-cluster.ts";

const statusOf = (world: VirtualCluster, name: string) =>
  world.cluster.store.get({ resource: budgets, namespace: "default", name }).status;

/** A ready Deployment with the given number of pods. */
function served(replicas: number): VirtualCluster {
  const world = new VirtualCluster().withNodes("node-1", "node-2");
  const pods = Array.from({ length: replicas }, (_, at) => ({ name: `web-${at}`, node: "node-1" }));
  world.cluster.addDeployment({ name: "web", replicas, pods });
  return world;
}

describe("the disruption controller", () => {
  it.each([
    [{ minAvailable: 3 }, { desiredHealthy: 3, disruptionsAllowed: 1 }],
    [{ minAvailable: 9 }, { desiredHealthy: 9, disruptionsAllowed: 0 }],
    [{ minAvailable: "50%" }, { desiredHealthy: 2, disruptionsAllowed: 2 }],
    [{ minAvailable: "51%" }, { desiredHealthy: 3, disruptionsAllowed: 1 }],
    [{ maxUnavailable: 1 }, { desiredHealthy: 3, disruptionsAllowed: 1 }],
    [{ maxUnavailable: 0 }, { desiredHealthy: 4, disruptionsAllowed: 0 }],
    [{ maxUnavailable: "10%" }, { desiredHealthy: 3, disruptionsAllowed: 1 }],
    [{ maxUnavailable: "100%" }, { desiredHealthy: 0, disruptionsAllowed: 4 }],
    [{ maxUnavailable: 9 }, { desiredHealthy: 0, disruptionsAllowed: 4 }],
  ])("counts %o of four pods as %o", (spec, counts) => {
    const world = served(4);
    world.cluster.addBudget({ name: "web", ...spec });

    world.pass(seconds(1));

    expect(statusOf(world, "web")).toMatchObject({
      ...counts,
      currentHealthy: 4,
      expectedPods: 4,
      observedGeneration: 1,
    });
  });

  it("learns of a changed scale with the next change of a pod, for it watches no workloads", () => {
    const world = served(2);
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    world.pass(seconds(1));
    const web = { resource: deployments, namespace: "default", name: "web" };
    world.cluster.store.update(web, ({ spec, ...rest }) => ({
      ...rest,
      spec: { ...spec, replicas: 1 },
    }));
    const seen: unknown[] = [];
    world.cluster.store.subscribe(({ resource, after }) => {
      if (resource === budgets) seen.push((after as PodDisruptionBudget).status.disruptionsAllowed);
    });

    world.pass(seconds(5));

    expect(seen).toEqual([0]);
    expect(statusOf(world, "web")).toMatchObject({ currentHealthy: 1, desiredHealthy: 1 });
  });

  it("allows a disruption again when the pod is not deleted within two minutes", async () => {
    const world = served(2);
    world.cluster.addBudget({ name: "web", minAvailable: 1 });
    world.pass(seconds(1));

    const stale = await world.evict("web-0", { preconditions: { uid: "another" } });
    expect(stale.status).toBe(409);
    expect(Object.keys(statusOf(world, "web").disruptedPods ?? {})).toEqual(["web-0"]);
    world.pass(seconds(110));
    expect(statusOf(world, "web")).toMatchObject({ disruptionsAllowed: 0, currentHealthy: 1 });
    world.pass(seconds(15));

    expect(statusOf(world, "web")).toMatchObject({ disruptionsAllowed: 1, currentHealthy: 2 });
    expect(statusOf(world, "web").disruptedPods).toBeUndefined();
  });

  it("allows nothing when it can no longer count, and gives the reason in the status and the eviction", async () => {
    const world = new VirtualCluster().withNodes("node-1");
    world.cluster.addBudget({ name: "agent", maxUnavailable: 1 });
    world.pass(seconds(1));
    world.cluster.addDaemonSet({ name: "agent", pods: [{ name: "agent-1", node: "node-1" }] });
    world.pass(seconds(1));

    expect(statusOf(world, "agent").conditions).toMatchObject([
      { status: "False", reason: "SyncFailed", message: 'found no controllers for pod "agent-1"' },
    ]);
    const { body } = await world.evict("agent-1");

    expect(body.details?.causes?.[0]?.message).toBe(
      'The disruption budget agent does not allow evicting pods currently because it failed sync: found no controllers for pod "agent-1"',
    );
  });
});

describe("an eviction", () => {
  it.each([
    ["an empty selector protects everything", {}, 429],
    [
      "expressions are matched",
      { matchExpressions: [{ key: "app", operator: "In", values: ["web"] }] },
      429,
    ],
    [
      "expressions that do not match do not",
      { matchExpressions: [{ key: "app", operator: "NotIn", values: ["web"] }] },
      201,
    ],
    [
      "an invalid selector protects nothing",
      { matchExpressions: [{ key: "app", operator: "Like" }] },
      201,
    ],
  ])("finds the budget of a pod by its selector: %s", async (_, selector, status) => {
    const world = served(1);
    world.cluster.addBudget({ name: "any", minAvailable: 1, selector });
    world.pass(seconds(1));

    expect((await world.evict("web-0")).status).toBe(status);
  });
});
