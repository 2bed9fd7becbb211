import { type Duration, milliseconds } from "../../../domain/time.ts";
import type { Bell } from "../../../ports/bell.ts";
import { type Clock, sleepFor } from "../../../ports/clock.ts";
import type { Listener } from "./informer.ts";

/** How long a bell rests that so many pods ring: half a millisecond for each, at most 50. A look at a few costs nothing. */
export const paceFor = (pods: number): Duration =>
  milliseconds(pods < 10 ? 0 : Math.min(50, Math.floor(pods / 2)));

/**
 * Rings a bell at once when it has been quiet, and then once for all that follows within a moment: a pod that ends has four
 * events, and each wake of a drain looks at all its pods. The last pods are heard at once.
 */
export function paced(bell: Bell, clock: Clock, pods: () => number): Listener<unknown> {
  let rung = false;
  let resting = false;
  const tell = async (): Promise<void> => {
    for (resting = true; rung; await sleepFor(paceFor(pods()), clock)) {
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
