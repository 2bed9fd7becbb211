import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { minutes, seconds, shortest } from "../../lambda/base/time.ts";
import { budgetsHolding } from "../../lambda/drain/budget.ts";
import { Places } from "../../lambda/drain/placement.ts";
import type { Pod } from "../../lambda/drain/pod.ts";
import { isActive, isCritical, isTerminating, podClassOf } from "../../lambda/drain/pod-class.ts";
import type { NodeRoom } from "../../lambda/drain/reschedulable-pod.ts";
import type { Force } from "../../lambda/forecast/fate.ts";
import type { Forecast } from "../../lambda/forecast/forecast.ts";
import { beginning, type ForecastInput } from "../../lambda/forecast/forecast-input.ts";
import type { ForecastPod } from "../../lambda/forecast/forecast-pod.ts";
import { slow } from "../../lambda/forecast/pace.ts";
import { anySnapshot } from "../drain/any-snapshot.ts";
import { aForecastInput, aResident, aRoom, forecastOf } from "./a-forecast-input.ts";

const anyRooms = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 3 });
const roomsOf = (cpus: readonly number[]): readonly NodeRoom[] =>
  cpus.map((free, index) => aRoom(`room-${index}`, free, { labels: { zone: `${index % 2}` } }));

const anyResident = fc.record({
  requests: fc.integer({ min: 0, max: 3 }).map((cpu) => ({ cpu: cpu * 1000, pods: 1 })),
  demands: fc.constantFrom<ForecastPod["demands"]>(
    [],
    [
      {
        from: "x",
        anyOf: [{ labels: [{ key: "zone", operator: "In", values: ["1"] }], fields: [] }],
      },
    ],
  ),
  attached: fc.subarray(["pv-1", "pv-2"]),
  life: fc.constantFrom("for ever" as const, "until it ends" as const),
  readyAfter: fc.constantFrom("unknown" as const, seconds(20)),
});

interface Case {
  readonly input: ForecastInput;
  readonly rooms: readonly number[];
}

/** Any node of the engine's own laws, with pods that ask for few CPUs, and few CPUs elsewhere. */
const anyCase: fc.Arbitrary<Case> = fc
  .record({
    snapshot: anySnapshot,
    rooms: anyRooms,
    forecastPods: fc.infiniteStream(anyResident),
    pass: fc.constantFrom(seconds(50), minutes(60)),
  })
  .map(({ snapshot, rooms, forecastPods, pass }) => {
    const { pods, budgets, node, orphaned, settings, now } = snapshot;
    const own = pods.map((pod) => aResident(pod, forecastPods.next().value));
    const scene = { budgets, node, orphaned, settings, now, pass, rooms: roomsOf(rooms) };
    return { input: aForecastInput(own, scene), rooms };
  });

const keeps = ["budget", "unmeetable-budget", "overlapping-budgets", "protection"];
const sent = (force: Force) => (force.kind === "nothing" ? [] : [force]);
const rank = { stays: 0, goes: 0, waits: 1, late: 2, stuck: 2, never: 3 };
const left = ({ pods }: Forecast) =>
  pods.filter(({ fate }) => fate.kind === "never").map(({ forecastPod }) => forecastPod.pod.uid);

describe("a forecast, of whatever node", () => {
  it("says of no pod that it goes at once unless the engine's rules let it go at once", () => {
    fc.assert(
      fc.property(anyCase, ({ input }) => {
        const scene = beginning(input, slow, "never").snapshot;
        const pods = forecastOf(input).pods.filter(({ fate }) => fate.kind === "goes");
        const isAsked = (pod: Pod) =>
          input.settings.daemonSets === "evict" && podClassOf(pod, scene) === "daemonset";
        const going = pods.map(({ forecastPod: { pod } }) => pod).filter((pod) => !isAsked(pod));
        const [active, ending] = [going.filter(isActive), going.filter(isTerminating)];
        expect(active.map((pod) => podClassOf(pod, scene))).toEqual(active.map(() => "evictable"));
        expect(ending.map((pod) => podClassOf(pod, scene))).toEqual(ending.map(() => "leaving"));
        const ordinary = active.filter((pod) => !isCritical(pod));
        const budgets = ordinary.map((pod) => budgetsHolding(pod, input.budgets));
        expect(budgets.filter(({ length }) => length > 1)).toEqual([]);
        expect(budgets.flat().filter((budget) => budget.disruptionsAllowed <= 0)).toEqual([]);
      }),
    );
  });

  it("leaves no pod behind and takes no longer because nodes have more free", () => {
    fc.assert(
      fc.property(anyCase, fc.nat(2), fc.integer({ min: 1, max: 4 }), (one, index, more) => {
        const { input, rooms } = one;
        const bigger = rooms.map((cpus, at) => (at === index ? cpus + more : cpus)).concat(more);
        const placements = new Places(roomsOf(bigger)).of(input.forecastPods, new Set());

        const before = forecastOf(input);
        const roomier = forecastOf({ ...input, placements });

        expect(left(before)).toEqual(expect.arrayContaining([...left(roomier)]));
        const { timeout } = before;
        // Whoever evicts more pods before the deadline may have more volumes to wait for after it.
        expect(Math.min(roomier.quickest.time, timeout)).toBeLessThanOrEqual(before.quickest.time);
        for (const [at, { fate }] of roomier.pods.entries())
          expect(rank[fate.kind]).toBeLessThanOrEqual(rank[before.pods[at]?.fate.kind ?? "goes"]);
      }),
    );
  });

  it("ends by the deadline and the wait for volumes, and accounts for all of its time", () => {
    fc.assert(
      fc.property(anyCase, ({ input }) => {
        const { quickest, longest, timeout } = forecastOf(input);
        const { volumeTimeout } = input.settings;
        for (const { time, parts } of [quickest, longest]) {
          expect(parts.reduce((sum, part) => sum + part.time, 0)).toBe(time);
          expect(time).toBeLessThanOrEqual(timeout + volumeTimeout + seconds(3));
        }
        if (longest.time < timeout) expect(quickest.time).toBeLessThanOrEqual(longest.time);
      }),
    );
  });

  it("has force send away every pod that only a budget or a protection would keep", () => {
    fc.assert(
      fc.property(anyCase, ({ input }) => {
        const { pods } = forecastOf(input);
        const kept = pods.filter(
          ({ fate }) => fate.kind === "never" && keeps.includes(fate.for.kind),
        );
        const isCordoned = input.settings.mode !== "evict";
        expect(kept.filter(({ force }) => force.kind === "nothing")).toEqual(
          isCordoned ? kept : [],
        );
      }),
    );
  });

  it("has force send no pod away later than at the deadline, and gives each a second of grace, unless it wants none", () => {
    fc.assert(
      fc.property(anyCase, ({ input }) => {
        const forced = forecastOf(input).pods.flatMap(({ force, forecastPod }) =>
          sent(force).map(({ grace, after }) => ({ grace, after, own: forecastPod.pod.grace })),
        );
        for (const { grace, after, own } of forced) {
          expect(grace).toBeGreaterThanOrEqual(shortest(seconds(1), own));
          expect(after).toBeLessThanOrEqual(input.lengths.toDeadline);
        }
      }),
    );
  });
});
