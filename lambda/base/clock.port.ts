import { type Duration, type Instant, later } from "./time.ts";
import { Wakeup } from "./wakeup.ts";

/** The time, and the only way to let it pass. */
export interface Clock {
  now(): Instant;
  /** Waits until a point in time, or until the wake-up if that is sooner. */
  sleep(until: Instant, wakeup: Wakeup): Promise<void>;
}

/** A clock that learns the time of the servers from their answers. */
export interface LearningClock extends Clock {
  /** Notes when a request goes to a server. The result takes the `Date` of the answer. */
  asks(server: "AWS" | "cluster"): (date: string | undefined) => void;
}

/** Until when all drains of this process pause their requests, because the API server has throttled one of them. */
export interface Pause {
  until(): Instant;
  extend(until: Instant): void;
}

export const sleepFor = (duration: Duration, clock: Clock): Promise<void> =>
  clock.sleep(later(clock.now(), duration), new Wakeup());
