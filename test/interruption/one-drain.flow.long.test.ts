import fc from "fast-check";
import { expect, it } from "vitest";
import { milliseconds, minutes, seconds } from "../../lambda/base/time.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { changeState, interrupt, recommend, tellOfHold } from "../world/ec2-events.ts";
import { completionsIn, endingsIn, evictedIn } from "../world/evidence.ts";
import { type Fault, type FunctionRequest, well } from "../world/fault-plan.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, namesOn } from "../world/workloads.ts";

const tell = {
  "the hook's event": tellOfHold,
  interruption: interrupt,
  recommendation: recommend,
  stop: (world: VirtualWorld) => changeState(world, "shutting-down"),
} as const;

const kinds = Object.keys(tell) as (keyof typeof tell)[];

const aTelling = fc.record({
  /** When the hook tells of the instance, and when others do, in seconds. */
  hook: fc.integer({ min: 0, max: 8 }),
  others: fc.uniqueArray(
    fc.record({ kind: fc.constantFrom(...kinds), at: fc.integer({ min: 0, max: 8 }) }),
    { minLength: 1, maxLength: 2, selector: ({ kind }) => kind },
  ),
  batchSize: fc.constantFrom(1, 10),
  budget: fc.constantFrom("none", 1, 2),
  slow: fc.constantFrom(0, 300, 1500),
  death: fc.oneof(
    fc.constant("none" as const),
    fc.record({
      number: fc.integer({ min: 1, max: 80 }),
      moment: fc.constantFrom("after" as const, "before" as const),
    }),
  ),
});

const numRuns = propertyRuns(60);
// Some 50 ms a run where nothing else computes.
const timeout = Math.max(900_000, 200 * numRuns);

it("two or three notices of one node, in one process or in several, evict each pod once and complete the hook once", {
  timeout,
}, async () => {
  const property = async (telling: Telling) => {
    const world = worldOf(telling);
    await world.workFor(minutes(15));

    const evicted = evictedIn(world);
    if (!hasDied(world, telling)) expect(evicted).toHaveLength(new Set(evicted).size);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(completionsIn(world)).toBe(1);
    expect(namesOn(world, 1)).toEqual([]);
  };
  await fc.assert(fc.asyncProperty(aTelling, property), { numRuns });
});

function worldOf(telling: Telling): VirtualWorld {
  const { hook, others, batchSize, budget } = telling;
  const world = new VirtualWorld({
    nodes: 3,
    batchSize,
    settings: { EVENT_REBALANCE: "drain" },
  });
  deploy(world, { name: "web", on: { 1: 4, 2: 1 } });
  if (budget !== "none") world.cluster.addBudget({ name: "web", maxUnavailable: budget });
  world.pass(seconds(5));
  world.faults = (request) => faultOf(request, telling);
  world.in(seconds(hook), () => world.terminate(1));
  for (const { kind, at } of others)
    world.in(seconds(kind === "the hook's event" ? Math.max(at, hook) : at), () =>
      tell[kind](world),
    );
  return world;
}

function faultOf({ number, what }: FunctionRequest, { death, slow }: Telling): Fault {
  if (death !== "none" && number === death.number) return { kind: "death", moment: death.moment };
  if (!what.startsWith("create pods/eviction")) return well;
  return { kind: "cluster-fault", fault: { slow: milliseconds(slow) }, moment: "before" };
}

const hasDied = ({ requests }: VirtualWorld, { death }: Telling): boolean =>
  death !== "none" && requests.length >= death.number;

type Telling = typeof aTelling extends fc.Arbitrary<infer T> ? T : never;
