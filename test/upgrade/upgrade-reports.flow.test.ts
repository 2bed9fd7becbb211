import { beforeAll, describe, expect, it } from "vitest";
import { minutes } from "../../lambda/base/time.ts";
import type { Figure } from "../../lambda/report/report-entry.ts";
import type { KubeFault } from "../../sandbox/kubernetes/api/planned-faults.ts";
import { eventsIn, evictedIn, isTelling } from "../world/evidence.ts";
import { well } from "../world/fault-plan.ts";
import { refusal } from "../world/refusal.ts";
import { UpgradeWorld } from "../world/upgrade-world.ts";
import { deploy } from "../world/workloads.ts";
import { nodeOf } from "../world/world-options.ts";

/** The reasons of the Events at a node, by their names. */
const at = (world: UpgradeWorld, node: string): readonly string[] =>
  eventsIn(world)
    .filter(({ regarding }) => regarding.name === node)
    .map(({ reason }) => reason)
    .toSorted();

const noteOf = (world: UpgradeWorld, reason: string): string =>
  eventsIn(world).find((event) => event.reason === reason)?.note ?? "";

const figures = (world: UpgradeWorld): readonly Figure[] =>
  world.told("measured").flatMap((entry) => entry.figures);

const sums = (world: UpgradeWorld, name: string): Readonly<Record<string, number>> => {
  const found = Map.groupBy(
    figures(world).filter((one) => one.name === name),
    ({ of }) => of,
  );
  return Object.fromEntries(
    Array.from(found, ([of, all]) => [of, all.reduce((sum, { value }) => sum + value, 0)]),
  );
};

/** Three nodes with a pod each; a budget lets none of them go if somebody wants that. */
function aWorld(budget: "held" | "none" = "none", settings: Record<string, string> = {}) {
  const world = new UpgradeWorld({ settings });
  deploy(world, { name: "web", on: { 1: 1, 2: 1, 3: 1 } });
  if (budget === "held") world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
  return world;
}

describe("an upgrade that ends well", () => {
  let world: UpgradeWorld;
  beforeAll(async () => {
    world = await aWorld().upgraded();
    expect(world.ended).toBe("done");
  });

  it("tells at each old node of its turn, its drain and its end, and of the hook that then finds it empty", () => {
    for (const index of [1, 2, 3])
      expect(at(world, nodeOf(index))).toEqual([
        "DrainStarted",
        "DrainStarted",
        "Drained",
        "UpgradeChosen",
        "UpgradeDrained",
        "UpgradeReplaced",
      ]);
    expect(noteOf(world, "UpgradeChosen")).toMatch(/^upgrade 0badcafe: it is this node's turn/);
  });

  it("tells at new nodes that their marks are taken off", () => {
    const restored = world.told("upgrade-nodes").filter(({ deed }) => deed === "restored");
    const fresh = restored.flatMap(({ nodes }) => nodes);
    expect(fresh.length).toBeGreaterThan(1);
    for (const name of fresh) expect(at(world, name)).toEqual(["UpgradeMarksRemoved"]);
  });

  it("counts itself by its end, its nodes, and the pods that it evicted", () => {
    expect(sums(world, "Upgrades")).toEqual({ done: 1 });
    expect(sums(world, "UpgradeNodesReplaced")).toEqual({ "": 3 });
    expect(sums(world, "PodsEvicted")).toEqual({ "": evictedIn(world).length });
    expect(sums(world, "UpgradeNodesBlocked")).toEqual({});
    expect(sums(world, "Notices")).not.toHaveProperty("upgraded");
  });

  it("measures its phases, which come to all of its time", () => {
    const phases = sums(world, "UpgradeSeconds");
    expect(Object.keys(phases)).toEqual(["set-up", "scale-up", "upgrade", "scale-down"]);
    const [start] = world.told("upgrade-pass");
    const [end] = world.told("upgrade-answered");
    const whole = ((end?.at ?? 0) - (start?.at ?? 0)) / 1000;
    const told = Object.values(phases).reduce((sum, one) => sum + one, 0);
    expect(Math.abs(told - whole)).toBeLessThan(5);
    const { upgrade = 0 } = phases;
    expect(upgrade).toBeGreaterThan(180);
  });
});

it("tells of every node of a large batch", async () => {
  const world = await new UpgradeWorld({ size: 12, max: 40 }).upgraded({
    maxUnavailable: { kind: "count", value: 12 },
  });
  const chosen = eventsIn(world).filter(({ reason }) => reason === "UpgradeChosen");
  expect(chosen).toHaveLength(12);
  const begun = eventsIn(world).filter(({ note }) => / \(upgraded\): /.test(note));
  const instances = begun.map(({ note }) => note.split(" ")[1]);
  expect(new Set(instances).size).toBe(12);
});

describe("an upgrade whose nodes a budget holds", () => {
  let world: UpgradeWorld;
  beforeAll(async () => {
    world = await aWorld("held").upgraded({ drainTimeout: minutes(2) });
    expect(world.ended).toMatch(/^failed: PodEvictionFailure/);
  });

  it("tells at the node which pods and budgets have blocked it, and that it is open again", () => {
    expect(new Set(at(world, nodeOf(1)))).toEqual(
      new Set([
        "UpgradeChosen",
        "DrainStarted",
        "WaitingForBudget",
        "UpgradeBlocked",
        "UpgradeMarksRemoved",
      ]),
    );
    expect(noteOf(world, "UpgradeBlocked")).toMatch(
      /left: default\/web-\d: .* by budget default\/web/,
    );
  });

  it("tells the team of the pods, for each node", () => {
    const teams = eventsIn(world).filter(({ reason }) => reason === "EvictionBlocked");
    expect(teams).toHaveLength(3);
    expect(noteOf(world, "EvictionBlocked")).toMatch(/^budget default\/web .* lets no pod leave/);
  });

  it("counts each blocked turn, and its end", () => {
    expect(sums(world, "UpgradeNodesBlocked")).toEqual({ "": 6 });
    expect(sums(world, "Upgrades")).toEqual({ failed: 1 });
    expect(sums(world, "UpgradeNodesReplaced")).toEqual({});
  });
});

it.each<[string, KubeFault]>([
  ["forbids", refusal(403, "events is forbidden")],
  ["never answers", "hang"],
])(
  "an upgrade whose Events the API server does not take ends as without them: it %s",
  async (_, fault) => {
    const world = aWorld();
    world.faults = ({ what }) =>
      /\bevents\b/.test(what) ? { kind: "cluster-fault", fault, moment: "before" } : well;
    await world.upgraded();
    const without = await aWorld("none", { EVENTS: "off", METRICS: "off" }).upgraded();
    expect(world.ended).toBe("done");
    expect(world.told("upgrade-answered").map((one) => one.at)).toEqual(
      without.told("upgrade-answered").map((one) => one.at),
    );
    expect(world.told("warning").map(({ about }) => about)).toContain("Events of Kubernetes");
    const measured = new Set(figures(without).map(({ name }) => name));
    expect(measured).toEqual(new Set(["HeartbeatAgeSeconds"]));
    expect(without.cluster.audit.filter(isTelling)).toEqual([]);
  },
);
