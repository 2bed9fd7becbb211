import { describe, expect, it } from "vitest";
import { between, later, minutes } from "../../lambda/base/time.ts";
import { nodeNow } from "../world/change.ts";
import { evictedIn, evictionsIn } from "../world/evidence.ts";
import { type FunctionRequest, type Moment, well } from "../world/fault-plan.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, namesOn } from "../world/workloads.ts";
import { announce, days, tracesOf } from "./planned-work.ts";

const on = [1, 2];

/** A world in which AWS announces work on two instances, and then does something else. */
async function work(then: (world: VirtualWorld) => void, death?: Death): Promise<VirtualWorld> {
  const world = new VirtualWorld({ nodes: 3 });
  deploy(world, { name: "web", on: { 1: 1, 2: 1 } });
  if (death !== undefined)
    world.faults = ({ number }) =>
      number === death.number ? { kind: "death", moment: death.moment } : well;
  announce(world, { on, startTime: later(world.timeline.now(), minutes(70)) });
  world.in(minutes(8), () => then(world));
  await world.work(days(2));
  return world;
}

interface Death extends Pick<FunctionRequest, "number" | "what"> {
  readonly moment: Moment;
}

/** Every request, and the moment between effect and answer for those that change something. */
const deathsAt = ({ requests }: VirtualWorld): readonly Death[] =>
  requests.flatMap(({ number, what }): readonly Death[] =>
    /^(get|list|watch)|Describe/.test(what)
      ? [{ number, what: `before ${what}`, moment: "before" }]
      : [
          { number, what: `before ${what}`, moment: "before" },
          { number, what: `after ${what}`, moment: "after" },
        ],
  );

const contents = (world: VirtualWorld) =>
  ["notices", "dead-letters"].flatMap((name) => world.aws.sqs.findQueue(name).contents());

const endings = (world: VirtualWorld, kind: string) =>
  world.told("notice-done").filter(({ outcome }) => outcome.kind === kind);

const isCordoned = (world: VirtualWorld, index: number): boolean =>
  nodeNow(world, index).spec.unschedulable ?? false;

describe("a function that dies at any of its requests", { timeout: 120_000 }, () => {
  it("has each instance of a notice drained once", async () => {
    const nothing = () => undefined;
    const undisturbed = await work(nothing);
    for (const death of [undefined, ...deathsAt(undisturbed)]) {
      const world = await work(nothing, death);
      const why = death?.what ?? "none";
      expect(
        on.flatMap((index) => namesOn(world, index)),
        why,
      ).toEqual([]);
      expect(evictedIn(world), why).toHaveLength(new Set(evictedIn(world)).size);
      expect(contents(world), why).toEqual([]);
      for (const index of on) {
        expect(isCordoned(world, index), why).toBe(true);
        expect(tracesOf(world, index), why).toHaveLength(1);
        // The death may come after a drain is over, and before its message is deleted.
        const drained = endings(world, "drained").length + endings(world, "no-node").length;
        expect(drained, why).toBeGreaterThanOrEqual(2);
      }
    }
  });

  it("leaves no mark of work that is called off in the middle of the drains", async () => {
    const close = (world: VirtualWorld): void => {
      announce(world, { on, status: "closed" });
    };
    const undisturbed = await work(close);
    for (const death of deathsAt(undisturbed)) {
      const world = await work(close, death);
      for (const index of on) {
        expect(isCordoned(world, index), death.what).toBe(false);
        expect(tracesOf(world, index), death.what).toHaveLength(1);
      }
      expect(contents(world), death.what).toEqual([]);
    }
  });
});

describe("a wait for planned work", () => {
  it.each([
    [14, 40],
    [40, 110],
  ])("ends in time after %i days, in less than %i receives", async (wait, receives) => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 2 } });
    const start = announce(world, { startTime: later(world.timeline.now(), days(wait)) });
    await world.work(days(wait + 1));
    expect(endings(world, "drained")).toHaveLength(1);
    const [asked] = evictionsIn(world);
    expect(Math.round(between(start, asked?.at ?? start) / 10_000)).toBe(-357);
    expect(world.told("pass-started").length).toBeLessThan(receives);
    expect(contents(world)).toEqual([]);
  });
});
