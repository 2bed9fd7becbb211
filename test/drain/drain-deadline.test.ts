import { describe, expect, it } from "vitest";
import { type Duration, minutes, seconds } from "../../lambda/base/time.ts";
import { longestHold, timeToDeadline } from "../../lambda/drain/drain-deadline.ts";

describe("the deadline of a drain under a hook", () => {
  const lasts = (timeout: Duration, volumeTimeout: Duration, heartbeatTimeout = minutes(30)) =>
    timeToDeadline({ timeout, volumeTimeout }, longestHold(heartbeatTimeout));

  it("leaves half of the hold for the pods, however long volumes may take", () => {
    expect(lasts(minutes(60), minutes(60), seconds(30))).toBe(minutes(25) - seconds(15));
  });
});
