import {
  between,
  earliest,
  type Instant,
  later,
  latest,
  longest,
  milliseconds,
  minutes,
  never,
  shortest,
} from "../base/time.ts";
import { deadlineIn, isMarkedFor, isNew, peersCause } from "./cause.ts";
import { type DrainBounds, marksCountSince } from "./drain-bounds.ts";
import { lateSinceAnnotation, markedAtAnnotation, tryEmptiedAt, tryWrittenAt } from "./marking.ts";
import type { Annotated } from "./node.ts";

// Enough for a usual pod to end by itself. No try outlasts its pass, which would make the next pass late too.
const lastTry = minutes(1);

// A crash costs a pass the visibility timeout of its queue. The drain does not restart its time for that.
const brief = minutes(3);

/**
 * The time from which a late drain of a held instance gets its whole time again; `undefined` if the drain is in time.
 *
 * A deadline bounds waiting, never the first try. So a drain is late if it begins when half of its time is over, unless a
 * crash may explain that and a minute is left. It is also late if nobody worked on it at its deadline and for minutes
 * after it. The node's annotation then keeps that time: each pass finds the same, and no drain gets its time a third time.
 * A drain whose pods are gone is not late.
 */
export function tryLateSince(
  node: Annotated,
  bounds: DrainBounds,
  now: Instant,
): Instant | undefined {
  const { begun } = bounds;
  const since = tryWrittenAt(node, lateSinceAnnotation);
  if (since !== undefined && since > begun && since <= now) return since;
  // Its pods were gone in time: only volumes are waited for.
  if (tryEmptiedAt(node, marksCountSince(begun)) !== undefined) return undefined;
  return now < bounds.heldUntil ? tryFirstLate(node, bounds, now) : undefined;
}

/** The same for a drain whose node has no such annotation yet. */
function tryFirstLate(
  node: Annotated,
  { begun, deadline }: DrainBounds,
  now: Instant,
): Instant | undefined {
  const middle = later(begun, milliseconds(between(begun, deadline) / 2));
  const inTime = earliest(later(begun, brief), later(deadline, milliseconds(-lastTry)));
  const late = latest(middle, inTime);
  if (now < late) return undefined;
  const marked = tryBegun(node, begun);
  if (marked === undefined) return now;
  // A drain that begins so late writes the annotation with its mark, and this node has none. So the notice that marked it
  // had a later time, as its deadline shows. That time counts: two notices of one hold differ in time only if one is
  // forged. With this deadline, the drain itself has marked a node once more that others had opened.
  const isOfLater = isMarkedFor(peersCause.reason, node) && deadlineIn(node) > deadline;
  if (marked >= late && isOfLater) return earliest(marked, now);
  return now >= later(deadline, brief) ? now : undefined;
}

/** When a drain has marked a node as its own, and not only as that of a peer; `undefined` if none has. */
function tryBegun(node: Annotated, begun: Instant): Instant | undefined {
  const marked = tryWrittenAt(node, markedAtAnnotation);
  if (marked === undefined || marked < marksCountSince(begun)) return undefined;
  return isNew(peersCause, node) ? marked : undefined;
}

/** The bounds of a drain that began late: its own time from then on, within the hold; at least half of the hold is for pods. */
export function lateBounds(bounds: DrainBounds, since: Instant): DrainBounds {
  const { begun, deadline, heldUntil } = bounds;
  const left = between(since, heldUntil);
  const volumes = shortest(between(deadline, heldUntil), milliseconds(left / 2));
  const time = shortest(between(begun, deadline), milliseconds(left - volumes));
  return { ...bounds, begun: since, cameAt: since, deadline: later(since, time) };
}

/**
 * The time at which a pass stops evicting pods and waiting for them: the deadline, or the end of the wait for volumes
 * if that is later. A pass that begins after the deadline gets up to a minute while the instance is held, at least
 * `leastTry`, and at most its own time.
 */
export function triesUntil(
  { deadline, heldUntil, leastTry }: DrainBounds,
  {
    now,
    began,
    passEnds,
    volumesUntil,
  }: {
    readonly now: Instant;
    /** Since when the pass follows the node's pods. */
    readonly began: Instant;
    /** When it stops evicting and hands the notice back. */
    readonly passEnds: Instant;
    /** Until when the drain waits for volumes; `never` if it has not begun to. */
    readonly volumesUntil: Instant;
  },
): Instant {
  if (now < deadline) return deadline;
  if (volumesUntil !== never) return latest(deadline, volumesUntil);
  if (began < deadline) return deadline;
  const left = shortest(lastTry, between(began, heldUntil));
  return earliest(passEnds, later(began, longest(leastTry, left)));
}
