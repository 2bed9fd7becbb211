import type { Notice } from "./notice.ts";
import { between, hours, type Instant, minutes } from "./time.ts";

// Auto Scaling holds an instance for 48 hours at most.
const longestHold = hours(48);
const clockSkew = minutes(5);

/**
 * From when on a drain's time counts: the notice's own time, which no crash and no redelivery moves.
 *
 * A time that cannot be true of an instance that is held now is that of a saved event, sent again; then the
 * node's mark counts, which is as lasting.
 */
export function begunAt({ since }: Notice, marked: Instant): Instant {
  const age = between(since, marked);
  return age > longestHold || age < -clockSkew ? marked : since;
}
