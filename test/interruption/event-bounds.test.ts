import { describe, expect, it } from "vitest";
import { minutes, seconds } from "../../lambda/base/time.ts";
import { hurried, spotLengths, stoppingLengths } from "../../lambda/interruption/event-bounds.ts";
import { someSettings } from "../support/builders.ts";

describe("the time of a Spot interruption", () => {
  const fresh = spotLengths(seconds(0));

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
    expect(spotLengths(seconds(age))).toEqual({ ...fresh, toDeadline: seconds(deadline) });
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

it("the time of an instance that is being stopped is what its setting says", () => {
  expect(stoppingLengths(minutes(1))).toMatchObject({
    toDeadline: minutes(1),
    toHeldUntil: minutes(1),
  });
});
