import { describe, expect, it } from "vitest";
import { type Duration, hours, minutes, seconds } from "../../lambda/base/time.ts";
import { holdToComplete, longestHold, timeToDeadline } from "../../lambda/drain/drain-deadline.ts";

describe("the longest hold of a hook", () => {
  it.each([
    [seconds(30), minutes(50)],
    [seconds(1727), seconds(172_700)],
    [seconds(1728), hours(48)],
    [seconds(7200), hours(48)],
  ])("with a heartbeat timeout of %d ms is %d ms", (heartbeatTimeout, hold) => {
    expect(longestHold(heartbeatTimeout)).toBe(hold);
  });

  it("is used but for what its completion may take", () => {
    expect(holdToComplete(minutes(30))).toBe(hours(48) - seconds(15));
    expect(holdToComplete(seconds(30))).toBe(minutes(50) - seconds(15));
  });
});

describe("the deadline of a drain under a hook", () => {
  const lasts = (timeout: Duration, volumeTimeout: Duration, heartbeatTimeout = minutes(30)) =>
    timeToDeadline({ timeout, volumeTimeout }, heartbeatTimeout);

  it("is as long after its begin as was set", () => {
    expect(lasts(minutes(15), minutes(3))).toBe(minutes(15));
  });

  it("leaves time for volumes and completion before the hold ends", () => {
    expect(lasts(hours(48), minutes(3))).toBe(hours(48) - minutes(3) - seconds(15));
    expect(lasts(hours(48), seconds(0))).toBe(hours(48) - seconds(15));
    expect(lasts(minutes(60), minutes(3), seconds(30))).toBe(minutes(47) - seconds(15));
  });

  it("leaves half of the hold for the pods, however long volumes may take", () => {
    expect(lasts(minutes(60), minutes(60), seconds(30))).toBe(minutes(25) - seconds(15));
  });
});
