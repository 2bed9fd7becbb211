import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hours, milliseconds, minutes, seconds } from "../../lambda/base/time.ts";
import {
  hurried,
  interruptedLengths,
  stoppingLengths,
} from "../../lambda/interruption/event-bounds.ts";
import { usualWarning } from "../../lambda/interruption/event-notice.ts";
import { someSettings } from "../support/builders.ts";

const usual = { warning: usualWarning };

describe("the time of a Spot interruption", () => {
  const fresh = interruptedLengths(usual, seconds(0));

  it("is two minutes from the event: the last 15 seconds are for volumes, the last two for nobody", () => {
    expect(fresh).toMatchObject({ toDeadline: seconds(105), toHeldUntil: seconds(118) });
  });

  it.each([
    [90, 105],
    [91, 106],
    [103, 118],
    [104.9, 118],
    [105, 105],
    [3600, 105],
  ])("leaves pods as long as volumes where its notice is %d s old: until %d s", (age, deadline) => {
    expect(interruptedLengths(usual, seconds(age))).toEqual({
      ...fresh,
      toDeadline: seconds(deadline),
    });
  });

  it("is shared: ordinary pods have half of it for themselves, and the mark settles in a twentieth", () => {
    const settings = someSettings({ tierPercent: 75, settle: seconds(120) });
    expect(hurried(settings, fresh)).toEqual({
      ...settings,
      tierPercent: 50,
      settle: seconds(5.25),
    });
  });

  it("takes no longer for either than the settings say", () => {
    const settings = someSettings({ tierPercent: 0, settle: seconds(1) });
    expect(hurried(settings, fresh)).toEqual(settings);
  });
});

describe("the time of an interruption that names its end", () => {
  it.each([
    [30, 26.25, 28],
    [8, 7, 7],
    [119, 104.125, 117],
    [300, 285, 298],
  ])("that is %d s away is until %d s for pods, and until %d s for volumes", (away, pods, all) => {
    expect(interruptedLengths({ warning: seconds(away) }, seconds(0))).toMatchObject({
      toDeadline: seconds(pods),
      toHeldUntil: seconds(all),
    });
  });

  it("always lies before that end, pods before volumes, whatever the age of the notice", () => {
    const anyTime = fc.integer({ min: 1, max: hours(1) }).map(milliseconds);
    const property = fc.property(anyTime, anyTime, (warning, age) => {
      const { toDeadline, toHeldUntil } = interruptedLengths({ warning }, age);
      expect(toDeadline).toBeGreaterThan(0);
      expect(toDeadline).toBeLessThanOrEqual(toHeldUntil);
      expect(toHeldUntil).toBeLessThan(warning);
    });
    fc.assert(property);
  });
});

it("the time of an instance that is being stopped is what its setting says", () => {
  expect(stoppingLengths(minutes(1))).toMatchObject({
    toDeadline: minutes(1),
    toHeldUntil: minutes(1),
  });
});
