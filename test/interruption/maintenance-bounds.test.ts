import { describe, expect, it } from "vitest";
import {
  type Duration,
  hours,
  instant,
  later,
  milliseconds,
  minutes,
  never,
  seconds,
} from "../../lambda/base/time.ts";
import {
  drainFrom,
  isDue,
  maintenanceBounds,
} from "../../lambda/interruption/maintenance-bounds.ts";

const told = instant(Date.UTC(2026, 10, 20, 10));
const days = (count: number): Duration => hours(24 * count);
const start = later(told, days(14));
const heard = later(told, seconds(7));
const trace = { event: "arn:1", startTime: start, told, heard, waiting: "one" };

describe("the wait for planned work", () => {
  it("ends a lead time before the work", () => {
    expect(drainFrom(trace, hours(1))).toBe(later(start, hours(-1)));
  });

  it("is over when one of the Health events of a node is near", () => {
    const [before, from] = [later(start, milliseconds(-1 - hours(1))), later(start, hours(-1))];
    const off = { ...trace, event: "arn:2", startTime: never };
    expect(isDue([off, trace], hours(1), before)).toBe(false);
    expect(isDue([off, trace], hours(1), from)).toBe(true);
    expect(isDue([off], hours(1), from)).toBe(false);
  });
});

describe("a drain for planned work", () => {
  const times = { lead: hours(1), timeout: minutes(15), volumeTimeout: minutes(3) };

  it("begins a lead time before the work, and leaves time for volumes", () => {
    expect(maintenanceBounds(trace, times)).toEqual({
      begun: later(start, hours(-1)),
      cameAt: later(start, hours(-1)),
      deadline: later(start, minutes(-3)),
      heldUntil: start,
      longestRest: minutes(4),
      leastTry: minutes(1),
    });
  });

  it("has only the time that is left where the function heard of the work late", () => {
    const late = { startTime: start, heard: later(start, minutes(-4)) };
    expect(maintenanceBounds(late, times)).toMatchObject({
      begun: late.heard,
      deadline: later(start, minutes(-2)),
      heldUntil: start,
    });
  });

  it.each([seconds(0), days(200)])(
    "has the time of any drain where the work had begun before the function heard of it",
    (ago) => {
      const past = { startTime: start, heard: later(start, ago) };
      expect(maintenanceBounds(past, times)).toMatchObject({
        begun: past.heard,
        deadline: later(past.heard, minutes(15)),
        heldUntil: later(past.heard, minutes(18)),
      });
    },
  );
});
