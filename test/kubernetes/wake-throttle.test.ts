import { getEventListeners } from "node:events";
import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { type Duration, milliseconds, minutes, never, seconds } from "../../lambda/base/time.ts";
import { WakeThrottle } from "../../lambda/kubernetes/wake-throttle.ts";
import { VirtualTimeline } from "../../sandbox/timeline.ts";
import { noon } from "../builders.ts";
import { virtualClock } from "../world/virtual-clock.ts";

const unaborted = new AbortController().signal;

/** A lull in which nothing has moved for a while, and readers of which a test sees whether they rest. */
function lullAfter(quiet: Duration) {
  const timeline = new VirtualTimeline(noon);
  const lull = new WakeThrottle(virtualClock(timeline));
  timeline.pass(quiet);
  const rest = (signal: AbortSignal = unaborted) => {
    let state: "resting" | "awake" = "resting";
    void lull.rest(signal).then(() => {
      state = "awake";
    });
    return async () => {
      await setImmediate();
      return state;
    };
  };
  return { timeline, lull, rest };
}

const aWhile = minutes(1);

it("a reader rests for a fifth of a second while nothing moves, each time anew", async () => {
  const { timeline, rest } = lullAfter(aWhile);
  for (const _ of [1, 2]) {
    const state = rest();
    timeline.pass(milliseconds(199));
    expect(await state()).toBe("resting");
    timeline.pass(milliseconds(1));
    expect(await state()).toBe("awake");
  }
});

it("whoever begins to rest later wakes together with the others", async () => {
  const { timeline, rest } = lullAfter(aWhile);
  const first = rest();
  timeline.pass(milliseconds(150));
  const second = rest();
  timeline.pass(milliseconds(50));
  expect([await first(), await second()]).toEqual(["awake", "awake"]);
});

it("nobody rests until ten seconds after something has moved", async () => {
  const { timeline, lull, rest } = lullAfter(aWhile);
  lull.stir();
  timeline.pass(milliseconds(9999));
  expect(await rest()()).toBe("awake");
  timeline.pass(milliseconds(1));
  expect(await rest()()).toBe("resting");
});

it("nobody rests in the first ten seconds", async () => {
  expect(await lullAfter(milliseconds(9999)).rest()()).toBe("awake");
  expect(await lullAfter(seconds(10)).rest()()).toBe("resting");
});

it("what moves wakes all who rest", async () => {
  const { lull, rest } = lullAfter(aWhile);
  const states = [rest(), rest()];
  lull.stir();
  expect(await Promise.all(states.map((state) => state()))).toEqual(["awake", "awake"]);
});

it("nobody rests while one of several evictions is under way, nor for ten seconds after it", async () => {
  const { timeline, lull, rest } = lullAfter(aWhile);
  const resting = rest();
  const [first, last] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const evicted = [first, last].map(({ promise }) => lull.during(() => promise));
  expect(await resting()).toBe("awake");
  timeline.pass(aWhile);
  expect(await rest()()).toBe("awake");
  first.resolve("accepted");
  expect(await evicted[0]).toBe("accepted");
  timeline.pass(aWhile);
  expect(await rest()()).toBe("awake");

  last.reject(new Error("no answer"));
  await expect(evicted[1]).rejects.toThrow("no answer");
  timeline.pass(milliseconds(9999));
  expect(await rest()()).toBe("awake");
  timeline.pass(milliseconds(1));
  expect(await rest()()).toBe("resting");
});

it("a reader that has rested is not told of the end of its caller any more", async () => {
  const { timeline, rest } = lullAfter(aWhile);
  const caller = new AbortController();
  const state = rest(caller.signal);
  timeline.pass(milliseconds(200));
  expect(await state()).toBe("awake");
  expect(getEventListeners(caller.signal, "abort")).toEqual([]);
});

it("an aborted reader goes on at once, and leaves nothing that is still to come", async () => {
  const { timeline, rest } = lullAfter(aWhile);
  const caller = new AbortController();
  const state = rest(caller.signal);
  caller.abort();
  expect(await state()).toBe("awake");
  expect(await rest(caller.signal)()).toBe("awake");
  expect(timeline.step(never)).toBe(false);
});
