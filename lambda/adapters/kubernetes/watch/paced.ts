import { milliseconds } from "../../../domain/time.ts";
import type { Bell } from "../../../ports/bell.ts";
import { type Clock, sleepFor } from "../../../ports/clock.ts";
import type { Listener } from "./informer.ts";

const pace = milliseconds(50);

/**
 * Rings a bell at once when it has been quiet, and then once for all that follows within a moment: a pod that ends has four
 * events, and each wake of a drain looks at all its pods.
 */
export function paced(bell: Bell, clock: Clock): Listener<unknown> {
  let rung = false;
  let resting = false;
  const tell = async (): Promise<void> => {
    for (resting = true; rung; await sleepFor(pace, clock)) {
      rung = false;
      bell.ring();
    }
    resting = false;
  };
  return {
    ring() {
      rung = true;
      if (!resting) void tell();
    },
  };
}
