import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  between,
  type Duration,
  hours,
  later,
  milliseconds,
  minutes,
  never,
  seconds,
} from "../../lambda/base/time.ts";
import { forcedFrom, nextForce, outgrows } from "../../lambda/drain/overdue.ts";
import { type Reason, rowOf } from "../../lambda/drain/reason.ts";
import { drainReasons } from "../../lambda/drain-reasons.ts";
import { ahead, aPod, aSnapshot, noon, someSettings } from "../support/builders.ts";

describe("the next moment at which a pod becomes overdue", () => {
  const deadline = ahead(minutes(10));
  const pods = [aPod({ grace: seconds(30) }), aPod({ grace: minutes(5) })];

  it("is never in the past, where pods are overdue already", () => {
    const now = ahead(milliseconds(300_001));
    expect(nextForce(pods, aSnapshot({ deadline, now }))).toBe(ahead(milliseconds(570_001)));
    const before = later(now, milliseconds(-1));
    expect(nextForce(pods, aSnapshot({ deadline, now: before }))).toBe(now);
  });

  it("never comes without pods, or where the settings rule out force", () => {
    expect(nextForce([], aSnapshot({ deadline }))).toBe(never);
    const settings = someSettings({ force: "never" });
    expect(nextForce(pods, aSnapshot({ deadline, now: noon, settings }))).toBe(never);
  });
});

describe("a pod that something holds", () => {
  const begun = noon;
  const at = (grace: Duration, length: Duration, reason: Reason = "terminating"): number => {
    const times = {
      begun,
      deadline: later(begun, length),
      budgetGrace: rowOf(reason, drainReasons).budgetGrace,
    };
    return between(begun, forcedFrom({ grace }, times)) / 1000;
  };

  it.each([
    ["the usual grace", seconds(30), 870.001],
    ["half of the time", seconds(450), 450.001],
    ["more than half", minutes(10), 450],
    ["all of the time", minutes(15), 450],
    ["an hour", hours(1), 450],
    ["a week", hours(168), 450],
    ["none", seconds(0), 899.001],
  ])(
    "is forced after half of 15 minutes, or when its grace fits no longer: %s",
    (_, grace, from) => {
      expect(at(grace, minutes(15))).toBe(from);
    },
  );

  it.each([
    ["interrupted", 105, 300, 52.5],
    ["interrupted", 105, 30, 75.001],
    ["stopping", 60, 300, 40.001],
    ["stopping", 60, 5, 55.001],
    ["stopping", 30, 300, 15],
    ["maintenance", 600, 604_800, 300],
    ["ill", 600, 604_800, 300],
    ["upgraded", 600, 604_800, 300],
    ["requested", 600, 604_800, 300],
  ] as const)(
    "of a node that is %s, with %d s, and asks for %d s, is forced after %d s",
    (reason, length, grace, from) => {
      expect(at(seconds(grace), seconds(length), reason)).toBe(from);
    },
  );

  it("is never forced in the first half of its drain, and at the latest a second before the deadline", () => {
    const holds = fc.property(fc.nat(1e9), fc.integer({ min: 2000, max: 1e9 }), (grace, length) => {
      const from = Math.round(at(milliseconds(grace), milliseconds(length)) * 1000);
      expect(from).toBeGreaterThanOrEqual(length / 2);
      expect(from).toBeLessThanOrEqual(length - 999);
    });
    fc.assert(holds);
  });

  it("outgrows its drain if half of it is too short for its grace", () => {
    const times = { begun, deadline: later(begun, minutes(15)), budgetGrace: hours(1000) };
    expect(outgrows({ grace: seconds(450) }, times)).toBe(false);
    expect(outgrows({ grace: seconds(451) }, times)).toBe(true);
  });
});

describe("the cut of a grace", () => {
  it("is told only where there is hardly any time", () => {
    const cut = drainReasons.filter(({ graces }) => graces === "cut");
    expect(cut.map(({ reason }) => reason)).toEqual(["interrupted", "block-expiring", "stopping"]);
  });
});
