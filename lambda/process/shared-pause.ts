import type { Pause } from "../base/clock.port.ts";
import { type Instant, instant, latest } from "../base/time.ts";

/** A pause that all drains of this process keep, because the API server throttles a client as a whole, not each drain. */
export function sharedPause(): Pause {
  let until: Instant = instant(0);
  return {
    until: () => until,
    extend(other) {
      until = latest(until, other);
    },
  };
}
