import fc from "fast-check";
import { expect, it } from "vitest";
import { forecastPodOf } from "../../cli/plan/cluster-reader.ts";
import { isReplaced } from "../../cli/plan/surroundings.ts";
import { hours, minutes, seconds } from "../../lambda/base/time.ts";
import { drainPolicyIn } from "../../lambda/config/policies.ts";
import { hookLengths } from "../../lambda/drain/drain-bounds.ts";
import { Places } from "../../lambda/drain/placement.ts";
import { type Forecast, forecastsOf } from "../../lambda/forecast/forecast.ts";
import { budgetOf } from "../../lambda/kubernetes/budget-of.ts";
import { nodeOf as readNode } from "../../lambda/kubernetes/node-of.ts";
import { budgets } from "../../sandbox/kubernetes/budget.ts";
import { nodes, pods } from "../../sandbox/kubernetes/core-resources.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { podsOn } from "../world/workloads.ts";
import { nodeOf } from "../world/world-options.ts";
import { anyCluster, populate } from "./random-cluster.ts";

// `RANDOM_WORLDS=5000` tries more worlds.
const { RANDOM_WORLDS = "100" } = process.env;
const numRuns = Number(RANDOM_WORLDS);

const settings = { DRAIN_FORCE: "never", DRAIN_TIMEOUT_SECONDS: "600" };
const leaving = [1, 2, 3];
const names = new Set(leaving.map(nodeOf));

const sent = (all: readonly object[]) => all.map((one) => Object(JSON.parse(JSON.stringify(one))));

/** What is foreseen of the nodes that leave a world together. */
function foreseen({ cluster, timeline }: VirtualWorld): readonly Forecast[] {
  const { settings: drain } = drainPolicyIn(settings, []).settingsFor({});
  const hosts = sent(cluster.store.list(nodes)).map((one) => readNode(one));
  const all = sent(cluster.store.list(pods)).map((one) => forecastPodOf(one));
  const now = timeline.now();
  const orphaned = new Set<string>();
  const rooms = hosts.map((node) => ({ node, free: { pods: 100 } }));
  const known = hosts.filter(({ name }) => names.has(name));
  const replaced = known.flatMap((node) =>
    all.filter(
      ({ pod }) =>
        pod.node === node.name &&
        isReplaced(pod, { now, node, marked: now, settings: drain, orphaned }),
    ),
  );
  const placements = new Places(rooms).of(replaced, names);
  return forecastsOf(
    known.map((node) => ({
      now,
      node,
      forecastPods: all.filter(({ pod }) => pod.node === node.name),
      budgets: sent(cluster.store.list(budgets)).map((one) => budgetOf(one)),
      orphaned,
      refusals: new Map(),
      targets: [],
      placements,
      settings: drain,
      lengths: hookLengths(drain, minutes(30)),
      longestDrain: hours(47),
      pass: seconds(50),
    })),
  );
}

const appOf = ({ app = "" }: Readonly<Partial<Record<string, string>>> = {}): string => app;

/** How many pods of each workload are among some. */
const countsOf = (apps: readonly string[]) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(apps, (app) => app)).map(([app, all = []]) => [app, all.length]),
  );

it("nodes of random small clusters that leave together are left with just the pods that were foreseen", async () => {
  await fc.assert(
    fc.asyncProperty(anyCluster, async (workloads) => {
      const world = new VirtualWorld({ settings, nodes: 4 });
      populate(world, workloads);
      const told = foreseen(world).flatMap((forecast) => forecast.pods);
      const of = (...kinds: readonly string[]) =>
        told
          .filter(({ fate }) => kinds.includes(fate.kind))
          .map(({ forecastPod: { pod } }) => appOf(pod.labels));
      const ownEnds = told
        .filter(
          ({ fate }) => fate.kind === "waits" && fate.for.some(({ kind }) => kind === "own-end"),
        )
        .map(({ forecastPod: { pod } }) => appOf(pod.labels));

      for (const node of leaving) world.terminate(node);
      await world.work();

      const left = leaving.flatMap((node) => podsOn(world, node));
      const found = countsOf(left.map(({ metadata }) => appOf(metadata.labels)));
      expect(of("late")).toEqual([]);
      // No pod ends by itself here.
      expect(found).toEqual(countsOf([...of("never", "stays"), ...ownEnds]));
    }),
    { numRuns },
  );
});
