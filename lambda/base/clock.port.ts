import { Bell } from "./bell.ts";
import { type Duration, type Instant, later } from "./time.ts";

/** The time, and the only way to let it pass. */
export interface Clock {
  now(): Instant;
  /** Waits until a point in time, or until the bell rings if that is sooner. */
  sleep(until: Instant, bell: Bell): Promise<void>;
}

/** Until when all drains of this process pause their requests, because the API server has throttled one of them. */
export interface Pause {
  until(): Instant;
  extend(until: Instant): void;
}

export const sleepFor = (duration: Duration, clock: Clock): Promise<void> =>
  clock.sleep(later(clock.now(), duration), new Bell());
