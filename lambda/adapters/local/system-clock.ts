import { type Instant, instant } from "../../domain/time.ts";
import type { Bell } from "../../ports/bell.ts";
import type { Clock } from "../../ports/clock.ts";

// Longer timers would end at once; nobody sleeps for a day in one invocation.
const longestTimer = 86_400_000;

/** The machine's own clock. */
export const systemClock: Clock = {
  now: (): Instant => instant(Date.now()),

  sleep(until: Instant, bell: Bell): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wait = Math.min(longestTimer, Math.max(0, until - Date.now()));
    const timer = setTimeout(resolve, wait);
    // Changes come in bursts: all that have arrived are heard before anybody wakes.
    const leave = bell.onRing(() => setImmediate(resolve));
    return promise.finally(() => {
      clearTimeout(timer);
      leave();
    });
  },
};
