import { type Instant, instant, latest } from "../../domain/time.ts";
import type { Pause } from "../../ports/clock.ts";

/** A pause that all drains of this process keep: throttling means the client, not the node that it works for. */
export function sharedPause(): Pause {
  let until: Instant = instant(0);
  return {
    until: () => until,
    extend(other) {
      until = latest(until, other);
    },
  };
}
