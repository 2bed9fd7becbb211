import type { Instant } from "../domain/time.ts";
import type { Bell } from "./bell.ts";

/** The time, and the only way to let it pass. */
export interface Clock {
  now(): Instant;
  /** Waits until a point in time, or until the bell rings if that is sooner. */
  sleep(until: Instant, bell: Bell): Promise<void>;
}

/** Until when nobody here asks the API server to let a pod go, for it has asked to be left alone. */
export interface Pause {
  until(): Instant;
  extend(until: Instant): void;
}
