import type { Clock } from "../base/clock.port.ts";
import { type Instant, instant } from "../base/time.ts";
import type { Wakeup } from "../base/wakeup.ts";

// A timer of more than 24.8 days would end at once; no invocation sleeps for a day.
const longestTimer = 86_400_000;

/** The clock of this computer. */
export const systemClock: Clock = {
  now: (): Instant => instant(Date.now()),

  sleep(until: Instant, wakeup: Wakeup): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wait = Math.min(longestTimer, Math.max(0, until - Date.now()));
    const timer = setTimeout(resolve, wait);
    // Changes come in bursts: the sleeper wakes once all changes that have arrived are applied.
    const leave = wakeup.onNotify(() => setImmediate(resolve));
    return promise.finally(() => {
      clearTimeout(timer);
      leave();
    });
  },
};
