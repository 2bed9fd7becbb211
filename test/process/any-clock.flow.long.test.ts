import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { between, milliseconds, minutes, seconds } from "../../lambda/base/time.ts";
import { flows } from "../world/clock-flows.ts";
import { completionsIn, deletionsIn, endingsIn, outcomesIn, writesIn } from "../world/evidence.ts";
import type { VirtualWorld } from "../world/virtual-world.ts";

// `RANDOM_CLOCKS=10000` tries more. `PROPERTY_RUNS` does not count here: ten thousand of them take hours.
const { RANDOM_CLOCKS = "1000" } = process.env;
const numRuns = Number(RANDOM_CLOCKS);

const names = Object.keys(flows);
const lapse = minutes(10);

/** What a flow does, without its times. */
function courseOf(world: VirtualWorld) {
  const asked = writesIn(world).map(({ what }) => what.replace(/-[0-9a-z]{5,10}\b/g, ""));
  return {
    // A message that comes back for a later step may look once more at the node, by a millisecond.
    outcomes: [...new Set(outcomesIn(world).map(({ kind }) => kind))],
    faults: world.told("fault").map(({ code }) => code),
    warnings: world.told("warning").map(({ about }) => about),
    left: world.departures.length,
    deleted: deletionsIn(world).length,
    evicted: asked.filter((what) => /pods\/eviction \S+ 201$/.test(what)).length,
    completed: completionsIn(world),
    endings: endingsIn(world),
    tokens: world.tokens.size > 0,
    marked: world.told("node-marked").map(({ reason }) => reason),
  };
}

/** When the pods left, each in its turn, and how long everything took, in seconds from the begin. */
function timesOf(world: VirtualWorld): readonly number[] {
  const begun = world.entries[0]?.at ?? world.timeline.now();
  const graces = deletionsIn(world).map(({ body }) => body.gracePeriodSeconds ?? 0);
  const left = world.departures.map(({ at }) => between(begun, at) / 1000);
  return [...left, ...graces, between(begun, world.timeline.now()) / 1000];
}

const courses = new Map<string, Promise<VirtualWorld>>();

/** A flow with a clock that is right. */
function rightly(name: string): Promise<VirtualWorld> {
  const known = courses.get(name) ?? run(name, 0, 0);
  courses.set(name, known);
  return known;
}

async function run(name: string, ahead: number, phase: number): Promise<VirtualWorld> {
  const flow = flows[name];
  if (flow === undefined) throw new Error(`there is no flow ${name}`);
  return flow({ clockAhead: milliseconds(ahead) }, milliseconds(phase));
}

// The time of a server is known to a second, and what is looked at every five seconds may be seen one look later.
const tolerance = seconds(8) / 1000;

function expectAlike(world: VirtualWorld, right: VirtualWorld): void {
  expect(courseOf(world)).toEqual(courseOf(right));
  const [times, others] = [timesOf(world), timesOf(right)];
  expect(times).toHaveLength(others.length);
  for (const [at, time] of times.entries())
    expect(Math.abs(time - (others[at] ?? 0))).toBeLessThanOrEqual(tolerance);
}

describe("whatever the clock of its process says,", {
  timeout: Math.max(900_000, 3000 * numRuns),
}, () => {
  it.each(names)("%s goes as it goes with a clock that is right", async (name) => {
    for (const ahead of [lapse, -lapse])
      expectAlike(await run(name, ahead, 0), await rightly(name));
  });

  it("within ten minutes, each flow goes as it goes with a clock that is right", async () => {
    const someClock = fc.integer({ min: -lapse, max: lapse });
    const holds = fc.asyncProperty(
      fc.constantFrom(...names),
      someClock,
      fc.nat(999),
      async (name, ahead, phase) => {
        expectAlike(await run(name, ahead, phase), await rightly(name));
      },
    );
    await fc.assert(holds, { numRuns });
  });
});
