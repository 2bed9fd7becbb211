import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  between,
  earliest,
  hours,
  instant,
  later,
  latest,
  longest,
  milliseconds,
  minutes,
  never,
  seconds,
  shortest,
  spoken,
  timestamp,
  tryDurationOf,
  tryInstantOf,
  wholeSeconds,
} from "../../lambda/base/time.ts";
import { noon } from "../support/builders.ts";

describe("a duration", () => {
  it("is counted in milliseconds, whatever unit it was given in", () => {
    expect([milliseconds(1), seconds(1), minutes(1), hours(1)]).toEqual([
      1, 1000, 60_000, 3_600_000,
    ]);
  });

  it("lies between two points in time, and leads from the one to the other", () => {
    expect(between(noon, later(noon, seconds(90)))).toBe(90_000);
    expect(between(later(noon, seconds(90)), noon)).toBe(-90_000);
  });

  it("is the shortest or the longest of several", () => {
    expect(shortest(seconds(3), seconds(1), seconds(2))).toBe(seconds(1));
    expect(longest(seconds(2), seconds(3), seconds(1))).toBe(seconds(3));
  });

  it.each([
    [999, 0],
    [1000, 1],
    [1999, 1],
    [30_000, 30],
  ])("of %d ms has %d whole seconds", (duration, count) => {
    expect(wholeSeconds(milliseconds(duration))).toBe(count);
  });
});

describe("a point in time", () => {
  it("is the earliest or the latest of several", () => {
    expect(earliest(instant(3), instant(1), instant(2))).toBe(1);
    expect(latest(instant(2), instant(3), instant(1))).toBe(3);
  });

  it("that never comes is later than any that does", () => {
    expect(never).toBeGreaterThan(Date.UTC(9999, 0));
    expect(earliest(noon, never)).toBe(noon);
  });

  it.each(["2026-11-20T12:00:00Z", "2026-11-20T12:00:00.000Z", "2026-11-20T13:00:00+01:00"])(
    "is read from %s",
    (text) => {
      expect(tryInstantOf(text)).toBe(noon);
    },
  );

  it.each([
    "",
    "noon",
    "2026-13-45T12:00:00Z",
    "9999-12-31T23:59:59-23:59",
    "+010000-01-01T00:00:00.000Z",
    "+275760-09-13T00:00:00.000Z",
    "-000001-12-31T00:00:00.000Z",
    "10000-01-01T23:58:59Z",
  ])("is not read from %j", (text) => {
    expect(tryInstantOf(text)).toBeUndefined();
  });

  it("of whatever text can be written again, also with two days after it", () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), (date) => {
        const at = tryInstantOf(date.toISOString());
        if (at !== undefined) timestamp(later(at, hours(48)));
      }),
    );
    expect(tryInstantOf("9999-12-31T23:59:59.999Z")).toBe(Date.UTC(9999, 11, 31, 23, 59, 59, 999));
    expect(tryInstantOf("0000-01-01T00:00:00Z")).toBe(Date.parse("0000-01-01T00:00:00Z"));
  });

  it("is read as it was written, to the millisecond", () => {
    const anyInstant = fc.integer({ min: 0, max: Date.UTC(2100, 0) }).map(instant);
    fc.assert(
      fc.property(anyInstant, (at) => {
        expect(tryInstantOf(timestamp(at))).toBe(at);
      }),
    );
    expect(timestamp(noon)).toBe("2026-11-20T12:00:00.000Z");
  });
});

describe("a duration as Go writes it", () => {
  it.each([
    ["1h30m", minutes(90)],
    ["45s", seconds(45)],
    ["2h", hours(2)],
    ["10m", minutes(10)],
    ["1.5h", minutes(90)],
    [".5s", milliseconds(500)],
    ["1.s", seconds(1)],
    ["300ms", milliseconds(300)],
    ["5us", milliseconds(0.005)],
    ["5µs", milliseconds(0.005)],
    ["7ns", milliseconds(0.000_007)],
    ["+5m", minutes(5)],
    ["-5m", minutes(-5)],
    ["1h1m1s", milliseconds(3_661_000)],
  ])("%s is read", (text, duration) => {
    expect(tryDurationOf(text)).toBeCloseTo(duration, 9);
  });

  it.each([
    "",
    "5",
    "h",
    "5 m",
    "5d",
    "true",
    "-",
    "+",
    ".s",
    "1.2.3s",
    "5m later",
    "in 5m",
    "1h-5m",
  ])("%j is not one", (text) => {
    expect(tryDurationOf(text)).toBeUndefined();
  });

  it.each([
    ["digits", "1".repeat(40_000)],
    ["durations", "1s".repeat(120_000)],
  ])("reads none in many %s, and at once: others write it at pods", (_, text) => {
    const before = process.cpuUsage();
    expect(tryDurationOf(text)).toBeUndefined();
    expect(process.cpuUsage(before).user).toBeLessThan(500_000);
  });
});

describe("a duration for people", () => {
  it.each([
    [0, "0 s"],
    [499, "0 s"],
    [500, "1 s"],
    [-5000, "0 s"],
    [59_000, "59 s"],
    [60_000, "1 min"],
    [61_000, "1 min 1 s"],
    [3_599_600, "1 h"],
    [3_600_000, "1 h"],
    [3_661_000, "1 h 1 min"],
    [3_605_000, "1 h 5 s"],
    [7_199_000, "1 h 59 min"],
    [172_800_000, "48 h"],
  ])("of %d ms is %s", (duration, said) => {
    expect(spoken(milliseconds(duration))).toBe(said);
  });
});
