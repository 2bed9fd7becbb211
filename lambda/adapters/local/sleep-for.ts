import { type Duration, later } from "../../domain/time.ts";
import { Bell } from "../../ports/bell.ts";
import type { Clock } from "../../ports/clock.ts";

/** Sleeps for a duration. */
export const sleepFor = (duration: Duration, clock: Clock): Promise<void> =>
  clock.sleep(later(clock.now(), duration), new Bell());
