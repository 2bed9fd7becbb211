import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { instant, later, milliseconds, minutes, seconds } from "../../lambda/base/time.ts";
import { Wakeup } from "../../lambda/base/wakeup.ts";
import { ServerClock } from "../../lambda/process/server-clock.ts";
import { VirtualTimeline } from "../../sandbox/timeline.ts";
import { virtualClock } from "../world/virtual-clock.ts";

const noon = instant(Date.parse("2026-11-20T12:00:00.400Z"));

/** A computer whose clock is ahead of a server, which it asks. */
function scene(ahead = seconds(0)) {
  const timeline = new VirtualTimeline(noon);
  const clock = new ServerClock(virtualClock(timeline, ahead));
  const written = () => new Date(timeline.now()).toUTCString();
  const exchange = (server: "AWS" | "cluster" = "cluster", way = milliseconds(0)) => {
    const learn = clock.asks(server);
    timeline.pass(way);
    const date = written();
    timeline.pass(way);
    learn(date);
  };
  const error = () => clock.now() - timeline.now();
  return { timeline, clock, exchange, error, written };
}

describe("the time of the servers", () => {
  it("is the time of this computer until a server has said its own", () => {
    const { clock, error } = scene(minutes(3));
    expect(error()).toBe(minutes(3));
    expect(clock.taught).toBe(false);
  });

  it.each([-600, -100, -3, 3, 100, 600])(
    "is known to a second after one answer, with a clock that is %i s ahead",
    (ahead) => {
      const { clock, exchange, error } = scene(seconds(ahead));
      exchange();
      expect(Math.abs(error())).toBeLessThanOrEqual(1000);
      expect(Math.abs(clock.difference() - seconds(ahead))).toBeLessThanOrEqual(1000);
      expect(clock.taught).toBe(true);
    },
  );

  it("never errs by more than a second and the time of the way, and no later answer makes it worse", () => {
    const someWays = fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 20 });
    const holds = fc.property(fc.integer({ min: -6e5, max: 6e5 }), someWays, (ahead, ways) => {
      const { exchange, error } = scene(milliseconds(ahead));
      let last = Number.POSITIVE_INFINITY;
      for (const way of ways) {
        exchange("cluster", milliseconds(way));
        expect(Math.abs(error())).toBeLessThanOrEqual(Math.min(last, 1000 + 2 * way));
        last = Math.abs(error());
      }
    });
    fc.assert(holds);
  });

  it("leaves a clock that is right as it is", () => {
    const { timeline, exchange, error } = scene();
    for (let count = 0; count < 20; count += 1) {
      exchange("cluster", milliseconds(37));
      timeline.pass(milliseconds(777));
    }
    expect(error()).toBe(0);
  });

  it("follows a clock that is set while the process runs", () => {
    const { timeline, written } = scene();
    let ahead = minutes(0);
    const own = virtualClock(timeline);
    const clock = new ServerClock({ ...own, now: () => later(own.now(), ahead) });
    clock.asks("cluster")(written());
    ahead = minutes(5);
    clock.asks("cluster")(written());
    expect(Math.abs(clock.now() - timeline.now())).toBeLessThanOrEqual(1000);
  });

  it("comes from AWS until the API server has said what time it is", () => {
    const { clock, exchange, error } = scene(minutes(3));
    exchange("AWS");
    expect(Math.abs(error())).toBeLessThanOrEqual(1000);
    exchange("cluster");
    const known = error();
    clock.asks("AWS")(new Date(noon - minutes(9)).toUTCString());
    expect(error()).toBe(known);
  });

  it.each([
    undefined,
    "",
    "5",
    "2026-11-20T12:00:00Z",
    "Fri, 20 Nov 2026 12:00:00 CET",
    "Xxx, 99 Xxx 2026 12:00:00 GMT",
    "Fri, 20 Nov 2026 12:00:00 GMT, Fri, 20 Nov 2026 12:00:00 GMT",
  ])("does not come from a date that is none: %s", (date) => {
    const { clock, error } = scene(minutes(3));
    clock.asks("cluster")(date);
    expect(error()).toBe(minutes(3));
    expect(clock.taught).toBe(false);
  });

  it("wakes a sleeper in that time", async () => {
    const { timeline, clock, exchange } = scene(minutes(-10));
    exchange();
    let isAwake = false;
    const slept = clock.sleep(later(clock.now(), seconds(5)), new Wakeup()).then(() => {
      isAwake = true;
    });
    timeline.pass(milliseconds(4999));
    await Promise.resolve();
    expect(isAwake).toBe(false);
    timeline.pass(milliseconds(1));
    await slept;
    expect(isAwake).toBe(true);
  });
});
