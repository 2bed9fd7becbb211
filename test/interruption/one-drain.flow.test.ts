import { describe, expect, it } from "vitest";
import { milliseconds, seconds } from "../../lambda/base/time.ts";
import { interrupt, recommend, tellOfHold } from "../world/ec2-events.ts";
import { completionsIn, endingsIn, evictedIn, outcomesIn } from "../world/evidence.ts";
import { failing } from "../world/fault-plan.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, namesOn } from "../world/workloads.ts";

type Told = readonly [name: string, tell: (world: VirtualWorld) => void];

const hook: Told = ["a hook", (world) => world.terminate(1)];
const bus: Told = ["its event", tellOfHold];
const spot: Told = ["an interruption", (world) => interrupt(world)];
const risk: Told = ["a recommendation", (world) => recommend(world)];

/** Ten pods, whose evictions take long at the API server. */
async function told(notices: readonly Told[], batchSize: number): Promise<VirtualWorld> {
  const settings = { EVENT_REBALANCE: "drain" };
  const world = new VirtualWorld({ nodes: 3, batchSize, settings });
  deploy(world, { name: "web", on: { 1: 10 } });
  world.faults = failing(/^create pods\/eviction/, { slow: milliseconds(1500) });
  for (const [, tell] of notices) tell(world);
  await world.workFor(seconds(120));
  return world;
}

const batches = [
  [hook, spot],
  [spot, hook],
  [hook, bus],
  [spot, risk],
  [hook, bus, spot],
].map((notices): [string, readonly Told[]] => [notices.map(([name]) => name).join(", "), notices]);

describe.each([
  ["one process", 10],
  ["a process for each", 1],
] as const)("notices of one node that come at once, in %s,", (_, batchSize) => {
  it.each(batches)("evict each pod once: %s", async (_names, notices) => {
    const world = await told(notices, batchSize);
    expect(evictedIn(world)).toHaveLength(10);
    expect(new Set(evictedIn(world)).size).toBe(10);
    expect(namesOn(world, 1)).toEqual([]);
    expect(outcomesIn(world).map(({ kind }) => kind)).toEqual(expect.arrayContaining(["drained"]));
    const held = notices.includes(hook) ? ["CONTINUE by call"] : [];
    expect(endingsIn(world)).toEqual(held);
    expect(completionsIn(world)).toBe(held.length);
  });
});
