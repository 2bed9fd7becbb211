import { type Instant, never, timestamp, tryInstantOf } from "../base/time.ts";
import type { Annotated } from "./node.ts";
import {
  type Opener,
  type Reason,
  type Reasons,
  rowOf,
  terminating,
  tryOpenerFor,
} from "./reason.ts";

/** Why a node is marked: a {@link Reason}. */
export const reasonAnnotation = "eks-node-lifecycle/reason";

/** When its instance is expected to end or to be drained, in ISO 8601; absent where nobody knows. */
export const deadlineAnnotation = "eks-node-lifecycle/deadline";

/** Why a node is marked, and until when it has to be drained. */
export interface Cause {
  readonly reason: Reason;
  /** `never` where nobody knows. */
  readonly deadline: Instant;
}

/** The cause that a drain writes onto the nodes of its peers. Only their own notices say when they have to be drained. */
export const peersCause: Cause = { reason: terminating.reason, deadline: never };

/** The annotations for a cause; `null` removes an earlier deadline. */
export const causeAnnotations = ({ reason, deadline }: Cause): Annotations => ({
  [reasonAnnotation]: reason,
  [deadlineAnnotation]: deadline === never ? null : timestamp(deadline),
});

type Annotations = Readonly<Record<string, string | null>>;

/** Whether a node's mark has this reason. */
export const isMarkedFor = (reason: Reason, { annotations }: Annotated): boolean =>
  annotations[reasonAnnotation] === reason;

/** The deadline in a node's mark; `never` if it has none. */
export const deadlineIn = ({ annotations }: Annotated): Instant =>
  tryInstantOf(annotations[deadlineAnnotation] ?? "") ?? never;

/** The cause in a node's mark; `undefined` if there is none. */
export function tryCause(node: Annotated, reasons: Reasons): Cause | undefined {
  const row = reasons.find(({ reason }) => isMarkedFor(reason, node));
  return row === undefined ? undefined : { reason: row.reason, deadline: deadlineIn(node) };
}

/** The work that opens the node because its mark has that reason; `undefined` where there is none. */
export function tryMarksOpener(node: Annotated, reasons: Reasons): Opener | undefined {
  const cause = tryCause(node, reasons);
  return cause === undefined ? undefined : tryOpenerFor(cause.reason, reasons);
}

/** Whether the node's mark lacks this cause. */
export const isNew = ({ reason, deadline }: Cause, node: Annotated): boolean =>
  !isMarkedFor(reason, node) || deadlineIn(node) !== deadline;

/**
 * Whether the mark of a node stays as another notice has written it, though this cause counts for the drain.
 *
 * A notice that comes late writes a deadline that had passed when the drain began. The drain goes on, and its next passes
 * leave the nearer deadline: otherwise each notice writes its own over the other's.
 */
export function staysNearer(cause: Cause, node: Annotated, reasons: Reasons): boolean {
  const theirs = tryCause(node, reasons);
  return (
    theirs !== undefined && theirs.deadline < cause.deadline && !givesWay(theirs, cause, reasons)
  );
}

/**
 * The cause that counts for a drain: the one with the nearer deadline, its own or that of the node's mark. Where a hook
 * holds the instance, the deadline of a reason that prolongs its drain counts even if it is later.
 *
 * A deadline that had passed when the drain began is that of an earlier drain, and that of work which opens its nodes
 * itself is when it gives the node up: neither ends another drain.
 */
export function nearestCause(own: Cause, node: Annotated, begun: Instant, reasons: Reasons): Cause {
  const theirs = tryCause(node, reasons);
  if (theirs === undefined || theirs.deadline <= begun || givesWay(theirs, own, reasons))
    return own;
  return theirs.deadline <= own.deadline || isProlonged(own, theirs, reasons) ? theirs : own;
}

/** Spot, maintenance and the end of a machine leave a drain no more time than they have. */
const isProlonged = (own: Cause, theirs: Cause, reasons: Reasons): boolean =>
  own.reason === terminating.reason && rowOf(theirs.reason, reasons).deadline === "prolongs";

/** The cause with which a drain marks its node again: one that prolongs drains is written by its own work alone. */
export const causeAgain = (cause: Cause, own: Cause, node: Annotated, reasons: Reasons): Cause =>
  isProlonged(own, cause, reasons) && !isMarkedFor(cause.reason, node) ? own : cause;

/** Whether a cause is that of work which opens its nodes itself, and the other is not. */
const givesWay = (cause: Cause, to: Cause, reasons: Reasons): boolean =>
  cause.reason !== to.reason && tryOpenerFor(cause.reason, reasons) !== undefined;

/**
 * The cause that a node's mark has once this one counts for a drain. Work that opens its nodes itself opens those whose
 * marks have its reason, so it writes that over no other, whatever the deadlines.
 */
export function causeOfMark(cause: Cause, node: Annotated, reasons: Reasons): Cause {
  const theirs = tryCause(node, reasons);
  return theirs !== undefined && givesWay(cause, theirs, reasons) ? theirs : cause;
}
