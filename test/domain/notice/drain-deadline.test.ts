import { describe, expect, it } from "vitest";
import {
  drainDeadline,
  goesUnmarkedFrom,
  longestHold,
} from "../../../lambda/domain/notice/drain-deadline.ts";
import { between, type Duration, hours, minutes, seconds } from "../../../lambda/domain/time.ts";
import { ahead, noon, someSettings } from "../../builders.ts";

describe("the longest hold of a hook", () => {
  it.each([
    [seconds(30), minutes(50)],
    [seconds(1727), seconds(172_700)],
    [seconds(1728), hours(48)],
    [seconds(7200), hours(48)],
  ])("with a heartbeat timeout of %d ms is %d ms", (heartbeatTimeout, hold) => {
    expect(longestHold(heartbeatTimeout)).toBe(hold);
  });
});

describe("the deadline of a drain", () => {
  const lasts = (timeout: Duration, volumeTimeout: Duration, heartbeatTimeout = minutes(30)) =>
    between(noon, drainDeadline(noon, someSettings({ timeout, volumeTimeout }), heartbeatTimeout));

  it("comes as long after its beginning as the settings say", () => {
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

describe("a node that cannot be marked", () => {
  it("is drained without a mark after a minute, or after a quarter of its time", () => {
    expect(goesUnmarkedFrom(noon, ahead(minutes(15)))).toBe(ahead(minutes(1)));
    expect(goesUnmarkedFrom(noon, ahead(minutes(4)))).toBe(ahead(minutes(1)));
    expect(goesUnmarkedFrom(noon, ahead(minutes(2)))).toBe(ahead(seconds(30)));
  });
});
