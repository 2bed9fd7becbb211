import {
  between,
  type Duration,
  earliest,
  type Instant,
  instant,
  later,
  latest,
  longest,
  milliseconds,
  seconds,
  shortest,
} from "../base/time.ts";
import { pastThreshold } from "./overdue.ts";
import type { Pod } from "./pod.ts";
import type { Step } from "./snapshot.ts";
import type { Target, TargetState } from "./target.ts";

/** The load balancers that send requests to its instance, as far as a drain knows them. */
export type Targets =
  /** The drain waits for none. */
  | { readonly kind: "none" }
  /** Not all have answered yet; the drain waits for their answers until then. */
  | { readonly kind: "unread"; readonly until: Instant; readonly targets: readonly Target[] }
  | { readonly kind: "read"; readonly targets: readonly Target[] };

/** The points in time that bound the wait for load balancers. */
export interface TargetClock {
  readonly now: Instant;
  /** When the node was marked, which takes it out of load balancers. */
  readonly marked: Instant;
  readonly deadline: Instant;
  /** Until when the instance stays. */
  readonly heldUntil: Instant;
  /** The time limit of a drain for load balancers. */
  readonly timeout: Duration;
}

/**
 * Holds a step of a drain back until the load balancers allow it: evictions while a target gets requests, the end of
 * the drain while one is registered. A pod whose grace would just not fit any more does not wait.
 */
export function heldByTargets(step: Step, targets: Targets, clock: TargetClock): Step {
  const { now } = clock;
  if (step.kind === "finish") {
    const until = releasedFrom(targets, clock);
    return now >= until ? step : { kind: "ask", requests: [], recheck: until };
  }
  const until = evictedFrom(targets, clock);
  if (step.kind !== "ask" || now >= until) return step;
  const requests = step.requests.filter(
    ({ verb, pod }) => verb === "delete" || losesGrace(pod, clock),
  );
  return { kind: "ask", requests, recheck: earliest(step.recheck, until) };
}

/** Whether waiting costs a pod grace that the drain has had time for. One that asks for more than the whole drain is cut all the same. */
function losesGrace(pod: Pod, { now, marked, deadline }: TargetClock): boolean {
  const last = pastThreshold(pod, deadline);
  return now >= last && last > marked;
}

const atOnce = instant(0);

const sendsTo: readonly TargetState[] = ["serving", "open"];

/** From when on pods may be evicted. */
function evictedFrom(targets: Targets, clock: TargetClock): Instant {
  if (targets.kind === "none") return atOnce;
  const last = later(clock.marked, timeToBegin(clock));
  if (targets.targets.some(({ state }) => sendsTo.includes(state))) return last;
  return targets.kind === "unread" ? earliest(targets.until, last) : atOnce;
}

/** From when on the instance may be released. */
function releasedFrom(targets: Targets, clock: TargetClock): Instant {
  if (targets.kind === "none") return atOnce;
  const ends = targetWaitEnds(targets.targets, clock);
  return targets.kind === "unread" ? latest(ends, earliest(targets.until, clock.heldUntil)) : ends;
}

// Controllers need some seconds, also where the drain has no time to wait for them before it evicts.
const usualTimeToBegin = seconds(30);

/** When the drain no longer waits for these targets. */
function targetWaitEnds(targets: readonly Target[], clock: TargetClock): Instant {
  const [first, ...others] = targets.filter(({ state }) => state !== "out");
  if (first === undefined) return atOnce;
  const delay = longest(first.delay, ...others.map((target) => target.delay));
  const toBegin = longest(usualTimeToBegin, timeToBegin(clock));
  const wait = shortest(clock.timeout, milliseconds(toBegin + delay));
  return earliest(clock.heldUntil, later(clock.marked, wait));
}

/**
 * From when on a target that is still in service has nobody who takes it out. A controller that follows the label needs
 * some seconds for it.
 */
export const leftAloneFrom = (clock: TargetClock): Instant =>
  later(clock.marked, shortest(seconds(10), milliseconds(timeToBegin(clock) / 2)));

/**
 * The time for which evictions wait until targets begin to drain: at most a tenth of the drain's
 * time, so 12 s of two minutes.
 */
const timeToBegin = ({ marked, deadline, timeout }: TargetClock): Duration =>
  shortest(timeout, milliseconds(Math.max(0, between(marked, deadline)) / 10));
