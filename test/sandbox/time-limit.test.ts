import { describe, expect, it } from "vitest";
import { instant, later, milliseconds, seconds } from "../../lambda/base/time.ts";
import { TimeLimit } from "../../sandbox/lambda/lambda-service.ts";
import { VirtualTimeline } from "../../sandbox/timeline.ts";

const start = instant(Date.parse("2026-03-23T10:00:00Z"));

describe("the time of an invocation", () => {
  it("begins when the event is taken", () => {
    const timeline = new VirtualTimeline(start);
    const limit = new TimeLimit(timeline, seconds(3), () => undefined);

    timeline.pass(seconds(8));
    expect(limit.start()).toBe(later(start, seconds(11)));
    timeline.pass(milliseconds(2999));
    expect(limit.exceeded).toBe(false);
    timeline.pass(milliseconds(1));
    expect(limit.exceeded).toBe(true);
  });

  it("begins after ten seconds of loading even without an event", () => {
    const timeline = new VirtualTimeline(start);
    let told = 0;
    const limit = new TimeLimit(timeline, seconds(3), () => {
      told += 1;
    });

    timeline.pass(seconds(12));
    expect(limit.exceeded).toBe(false);
    timeline.pass(seconds(1));

    expect([limit.exceeded, told]).toEqual([true, 1]);
  });
});
