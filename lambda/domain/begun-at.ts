import type { Notice } from "./notice.ts";
import { between, hours, type Instant } from "./time.ts";

// Auto Scaling holds an instance for 48 hours at most.
const longestHold = hours(48);

/**
 * From when on a drain's time counts: the notice's own time, which no crash and no redelivery moves, and which
 * counts also if the node bears the mark of something that came before.
 *
 * A time so far from the mark that no hook can have held the instance in between is that of a saved event, sent
 * again; then the mark counts, which is as lasting.
 */
export const begunAt = ({ since }: Notice, marked: Instant): Instant =>
  Math.abs(between(since, marked)) > longestHold ? marked : since;
