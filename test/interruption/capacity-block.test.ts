import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  between,
  instant,
  later,
  milliseconds,
  minutes,
  never,
  seconds,
} from "../../lambda/base/time.ts";
import {
  blockBounds,
  blockDrainFrom,
  instancesEnd,
  restBeforeDrain,
} from "../../lambda/interruption/capacity-block.ts";

const ends = instant(Date.parse("2026-11-20T11:30:00Z"));
const block = { ends, instanceType: "p5.48xlarge" };
const volumeTimeout = minutes(3);

describe("the instances of a Capacity Block", () => {
  it.each([
    ["p5.48xlarge", 30],
    ["p6-b200.48xlarge", 30],
    ["trn2.48xlarge", 30],
    ["", 30],
    ["p6e-gb200.36xlarge", 60],
    ["trn2u.48xlarge", 60],
  ])("of type %s are drained for ten minutes, until %d minutes before its end", (type, before) => {
    const one = { ends, instanceType: type };
    expect(between(instancesEnd(one), ends)).toBe(minutes(before));
    expect(between(blockDrainFrom(one), instancesEnd(one))).toBe(minutes(10));
  });

  it("are not drained before, to the second", () => {
    const from = blockDrainFrom(block);
    expect(restBeforeDrain(block, later(from, seconds(-3600)))).toBe(seconds(3600));
    expect(restBeforeDrain(block, later(from, seconds(-1)))).toBe(seconds(1));
    expect(restBeforeDrain(block, later(from, milliseconds(-999)))).toBe(0);
    expect(restBeforeDrain(block, later(from, minutes(5)))).toBe(0);
  });

  it("have the same deadline in each pass, and half of their time for budgets", () => {
    const from = blockDrainFrom(block);
    const anyTime = fc.integer({ min: -3_600_000, max: 3_600_000 }).map(milliseconds);
    const property = fc.property(anyTime, anyTime, (received, passed) => {
      const firstReceived = later(from, received);
      const now = later(from, passed);
      const bounds = blockBounds(block, { volumeTimeout }, { firstReceived, now });
      expect(bounds).toMatchObject({
        begun: from,
        deadline: instancesEnd(block),
        heldUntil: later(instancesEnd(block), volumeTimeout),
      });
      expect(bounds.cameAt).toBeGreaterThanOrEqual(from);
      if (passed >= received) expect(bounds.cameAt).toBe(Math.max(from, firstReceived));
    });
    fc.assert(property);
  });

  it("count their time from now where nobody says when their notice came", () => {
    const now = later(blockDrainFrom(block), minutes(4));
    const came = { firstReceived: never, now };
    expect(blockBounds(block, { volumeTimeout }, came).cameAt).toBe(now);
  });
});
