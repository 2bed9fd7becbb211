import { setTimeout } from "node:timers/promises";
import type { Duration } from "../lambda/base/time.ts";

/** Waits for some time, or until the user interrupts. */
export const pause = (time: Duration, interrupted: AbortSignal): Promise<void> =>
  setTimeout(time, undefined, { signal: interrupted }).catch((cause: unknown) => {
    if (!interrupted.aborted) throw cause;
  });
