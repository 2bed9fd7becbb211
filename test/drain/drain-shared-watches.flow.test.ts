import { expect, it } from "vitest";
import { seconds } from "../../lambda/base/time.ts";
import { changeBudget } from "../world/change.ts";
import { endingsIn, evictedIn, writtenIn } from "../world/evidence.ts";
import { failing, well } from "../world/fault-plan.ts";
import { refusal } from "../world/refusal.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, namesOn } from "../world/workloads.ts";
import { nodeOf } from "../world/world-options.ts";

const watchesOfBudgets = ({ requests }: VirtualWorld): number =>
  requests.filter(({ what }) => what === "watch poddisruptionbudgets").length;

it("the drains of one process follow the budgets of a namespace once, and of no namespace without pods of theirs", async () => {
  const world = new VirtualWorld({ nodes: 8 });
  deploy(world, { name: "web", on: { 1: 2, 2: 2, 3: 2, 4: 2, 5: 2 } });
  deploy(world, { name: "db", namespace: "data", on: { 2: 1 } });
  deploy(world, { name: "far", namespace: "elsewhere", on: { 8: 1 } });
  for (const node of [1, 2, 3, 4, 5]) world.terminate(node);
  await world.work();
  expect(endingsIn(world)).toEqual(Array.from({ length: 5 }, () => "CONTINUE by call"));
  expect(watchesOfBudgets(world)).toBe(2);
});

it("ten drains whose pods are in 120 namespaces leave most streams of the connection to requests", async () => {
  const world = new VirtualWorld({ nodes: 12 });
  const nodes = Array.from({ length: 10 }, (_, index) => index + 1);
  for (const node of nodes)
    for (let team = 1; team <= 12; team += 1) {
      const namespace = `team-${node}-${team}`;
      deploy(world, { name: "web", namespace, on: { [node]: 1 } });
      world.cluster.addBudget({ name: "web", namespace, maxUnavailable: 1 });
    }
  for (const node of nodes) world.terminate(node);
  await world.work(seconds(90));
  expect(endingsIn(world)).toEqual(nodes.map(() => "CONTINUE by call"));
  expect(watchesOfBudgets(world)).toBeLessThanOrEqual(31);
  expect(writtenIn(world).filter((what) => what.endsWith(" 429"))).toEqual([]);
});

it("a drain follows the budgets further after another drain that followed them has ended", async () => {
  const world = new VirtualWorld({ nodes: 4 });
  deploy(world, { name: "web", on: { 1: 1 } });
  deploy(world, { name: "db", on: { 2: 1 } });
  world.cluster.addBudget({ name: "db", maxUnavailable: 0 });
  world.terminate(1);
  world.terminate(2);
  world.in(seconds(30), () => changeBudget(world, "db", { maxUnavailable: 1 }));
  await world.work(seconds(33));
  expect(evictedIn(world)).toHaveLength(2);
  expect(writtenIn(world).filter((what) => what.endsWith(" 429"))).toEqual([]);
  expect(watchesOfBudgets(world)).toBe(1);
});

it("a pod from a new namespace is held by its budget from the first moment", async () => {
  const world = new VirtualWorld({ nodes: 4 });
  deploy(world, { name: "web", on: { 1: 1 } });
  deploy(world, { name: "slow", on: { 1: 1 } });
  world.cluster.addBudget({ name: "slow", maxUnavailable: 0 });
  world.cluster.addBudget({ name: "late", namespace: "data", maxUnavailable: 0 });
  world.in(seconds(20), () =>
    world.cluster.addPod({
      name: "late",
      namespace: "data",
      node: nodeOf(1),
      labels: { app: "late" },
      spec: { tolerations: [{ operator: "Exists" }] },
    }),
  );
  await world.drain(seconds(45));
  expect(namesOn(world, 1)).toContain("late");
  expect(watchesOfBudgets(world)).toBe(2);
  const late = world.requests.filter(({ what }) => what.startsWith("create pods/eviction data"));
  expect(late.length).toBeLessThanOrEqual(1);
});

it("a drain that cannot follow the budgets of a namespace evicts nothing, and says so", async () => {
  const world = new VirtualWorld({ nodes: 3 });
  deploy(world, { name: "web", on: { 1: 1 } });
  world.faults = failing(/^(watch|list) poddisruptionbudgets/, refusal(403, "you may not"));
  await world.drain(seconds(50));
  expect(evictedIn(world)).toEqual([]);
  expect(world.told("fault").map(({ code }) => code)).toContain("cluster.forbidden");
  world.faults = () => well;
  await world.work();
  expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
});
