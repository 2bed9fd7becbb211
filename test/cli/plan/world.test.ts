import { describe, expect, it } from "vitest";
import { forecastPodOf } from "../../../cli/plan/cluster-reader.ts";
import { hours, minutes, seconds } from "../../../lambda/base/time.ts";
import { drainPolicyIn } from "../../../lambda/config/policies.ts";
import { hookLengths } from "../../../lambda/drain/drain-bounds.ts";
import { Places } from "../../../lambda/drain/placement.ts";
import type { Forecast } from "../../../lambda/forecast/forecast.ts";
import { budgetOf } from "../../../lambda/kubernetes/budget-of.ts";
import { nodeOf as readNode } from "../../../lambda/kubernetes/node-of.ts";
import { budgets } from "../../../sandbox/kubernetes/budget.ts";
import { nodes, pods } from "../../../sandbox/kubernetes/core-resources.ts";
import { forecastOf } from "../../forecast/a-forecast-input.ts";
import { evictedIn, took } from "../../world/evidence.ts";
import { VirtualWorld } from "../../world/virtual-world.ts";
import { critical, deploy, namesOn } from "../../world/workloads.ts";
import { nodeOf } from "../../world/world-options.ts";

const settings = { DRAIN_FORCE: "never", DRAIN_TIMEOUT_SECONDS: "300" };

/** What the forecast says of the first node of a world. */
function foreseen({ cluster, timeline }: VirtualWorld): Forecast {
  const { settings: drain } = drainPolicyIn(settings, []).settingsFor({});
  const sent = (all: readonly object[]) =>
    all.map((one) => Object(JSON.parse(JSON.stringify(one))));
  const hosts = sent(cluster.store.list(nodes)).map((one) => readNode(one));
  const forecastPods = sent(cluster.store.list(pods)).map((one) => forecastPodOf(one));
  const own = forecastPods.filter(({ pod }) => pod.node === nodeOf(1));
  const rooms = hosts.map((node) => ({ node, free: { pods: 100 } }));
  return forecastOf({
    now: timeline.now(),
    node: hosts.find(({ name }) => name === nodeOf(1)) as never,
    forecastPods: own,
    budgets: sent(cluster.store.list(budgets)).map((one) => budgetOf(one)),
    orphaned: new Set<string>(),
    refusals: new Map(),
    targets: [],
    placements: new Places(rooms).of(own, new Set([nodeOf(1)])),
    settings: drain,
    lengths: hookLengths(drain, minutes(30)),
    longestDrain: hours(47),
    pass: seconds(50),
  });
}

const annotations = { "karpenter.sh/do-not-disrupt": "true" };
const three = (world: VirtualWorld) => deploy(world, { name: "web", on: { 1: 3, 2: 1 } });
const budget = (world: VirtualWorld, maxUnavailable: number, name = "web") =>
  world.cluster.addBudget({ name, selector: { matchLabels: { app: "web" } }, maxUnavailable });

describe("a forecast of the sandbox's world", () => {
  it.each<[string, (world: VirtualWorld) => unknown]>([
    ["pods that nothing holds", three],
    ["one disruption at a time", (world) => [three(world), budget(world, 1)]],
    ["no disruption at all", (world) => [three(world), budget(world, 0)]],
    ["two budgets", (world) => [three(world), budget(world, 2), budget(world, 2, "other")]],
    ["protected pods", (world) => deploy(world, { name: "web", annotations, on: { 1: 2 } })],
    [
      "critical pods",
      (world) => [three(world), deploy(world, { name: "dns", spec: critical, on: { 1: 2 } })],
    ],
    [
      "pods to skip",
      (world) =>
        deploy(world, {
          name: "web",
          annotations: { "eks-node-lifecycle/drain": "skip" },
          on: { 1: 2 },
        }),
    ],
  ])("is what happens: %s", async (_, populate) => {
    const world = new VirtualWorld({ settings });
    populate(world);
    world.pass(seconds(10));
    const { pods: said, quickest, longest } = foreseen(world);
    const named = (...kinds: readonly string[]) =>
      said
        .filter(({ fate }) => kinds.includes(fate.kind))
        .map(({ forecastPod }) => forecastPod.pod);

    world.terminate(1);
    await world.work();

    const uids = named("goes", "waits").map(({ uid }) => `${uid}`);
    expect(evictedIn(world).toSorted()).toEqual(uids.toSorted());
    const names = named("never", "stays").map(({ name }) => name);
    expect(namesOn(world, 1).toSorted()).toEqual(names.toSorted());
    expect(took(world)).toBeLessThanOrEqual(longest.time);
    expect(took(world)).toBeGreaterThanOrEqual(quickest.time - seconds(1));
  });
});
