import { setTimeout } from "node:timers/promises";
import type { Duration } from "../lambda/base/time.ts";

/** Waits for some time, or until somebody interrupts: that ends the pause early, and the caller sees it at the signal. */
export const pause = (time: Duration, interrupted: AbortSignal): Promise<void> =>
  setTimeout(time, undefined, { signal: interrupted }).catch((cause: unknown) => {
    if (!interrupted.aborted) throw cause;
  });
