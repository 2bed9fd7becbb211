import {
  between,
  type Duration,
  type Instant,
  later,
  longest,
  milliseconds,
  minutes,
  seconds,
  shortest,
} from "../base/time.ts";

/** The facts that are known when a pass returns its notice. */
export interface Handback {
  /** From when on the time of the work counts. */
  readonly begun: Instant;
  /** When the work is over, done or not. */
  readonly deadline: Instant;
  /** The longest rest of the notice between two passes. */
  readonly longestRest: Duration;
  /** The least rest after a pass in which nothing moved. @default five seconds */
  readonly leastRest?: Duration;
  readonly now: Instant;
  /** Whether a pod left the node, or started to, in this pass. */
  readonly progressed: boolean;
  /** The receive count of the notice. */
  readonly receives: number;
  /** When the grace of a pod that is still there no longer fits before the deadline. */
  readonly nextForce: Instant;
}

// The time that a pass needs before its first request.
const beginning = seconds(-2);
const soon = seconds(5);
const longestWait = minutes(3);

/**
 * Chooses how long a notice rests before its next pass.
 *
 * A few seconds while pods are leaving; then a tenth of the drain's age, up to three minutes. A drain that has been
 * received 250 times costs less from then on: it rests the full three minutes. It is back at work
 * when a pod's grace no longer fits before the deadline. Towards the deadline it rests no longer than a tenth of the
 * time that is left, for pods may come of which nobody knows yet.
 */
export function waitBeforePass(handback: Handback): Duration {
  const { now, nextForce } = handback;
  const untilForce = longest(seconds(0), between(now, later(nextForce, beginning)));
  return capped(shortest(rest(handback), untilForce), handback);
}

/** The longest rest of any notice before its node is marked. */
export const longestBeforeMarking = minutes(4);

/**
 * Chooses how long a notice rests when its node has to be marked again. It does not rest at all until somebody has made
 * that necessary for 250 receives, which costs too much to go on with.
 */
export const waitBeforeMarking = (handback: PassLimits & Pick<Handback, "receives">): Duration =>
  handback.receives <= 250 ? seconds(0) : capped(longestBeforeMarking, handback);

type PassLimits = Pick<Handback, "deadline" | "longestRest" | "now">;

const capped = (wait: Duration, { now, deadline, longestRest }: PassLimits): Duration => {
  const untilDeadline = longest(seconds(0), between(now, deadline));
  return shortest(wait, milliseconds(untilDeadline / 10), longestRest);
};

function rest({ now, begun, progressed, receives, leastRest = soon }: Handback): Duration {
  if (receives > 250) return longestWait;
  if (progressed) return soon;
  return shortest(longestWait, longest(leastRest, milliseconds(between(begun, now) / 10)));
}
