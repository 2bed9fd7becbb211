import { type Instant, never, timestamp, tryInstantOf } from "../base/time.ts";
import type { Node } from "./node.ts";

/** Why a node is marked: a {@link Reason}. */
export const reasonAnnotation = "eks-node-lifecycle/reason";

/** When its instance is expected to end or to be drained, in ISO 8601; absent where nobody knows. */
export const deadlineAnnotation = "eks-node-lifecycle/deadline";

/** All reasons for which nodes are marked. */
export const reasons = [
  "terminating",
  "interrupted",
  "at-risk",
  "maintenance",
  "stopping",
  "requested",
  "upgraded",
  "evacuated",
  "ill",
] as const;

/** Why a node is marked. */
export type Reason = (typeof reasons)[number];

/** Why a node is marked, and until when it has to be drained. */
export interface Cause {
  readonly reason: Reason;
  /** `never` where nobody knows. */
  readonly deadline: Instant;
}

/** The cause that a drain writes onto the nodes of its peers. Only their own notices say when they have to be drained. */
export const peersCause: Cause = { reason: "terminating", deadline: never };

/** The annotations for a cause; `null` removes an earlier deadline. */
export const causeAnnotations = ({ reason, deadline }: Cause): Annotations => ({
  [reasonAnnotation]: reason,
  [deadlineAnnotation]: deadline === never ? null : timestamp(deadline),
});

type Annotations = Readonly<Record<string, string | null>>;

/** The cause in a node's mark; `undefined` if there is none. */
export function tryCause({ annotations }: Pick<Node, "annotations">): Cause | undefined {
  const reason = reasons.find((one) => one === annotations[reasonAnnotation]);
  if (reason === undefined) return undefined;
  return { reason, deadline: tryInstantOf(annotations[deadlineAnnotation] ?? "") ?? never };
}

/** Whether the node's mark lacks this cause. */
export function isNew(cause: Cause, node: Pick<Node, "annotations">): boolean {
  const theirs = tryCause(node);
  return theirs?.reason !== cause.reason || theirs.deadline !== cause.deadline;
}

/**
 * Whether the mark of a node stays as another notice has written it, though this cause counts for the drain.
 *
 * A notice that comes late writes a deadline that had passed when the drain began. The drain goes on, and its next passes
 * leave the nearer deadline: otherwise each notice writes its own over the other's.
 */
export function staysNearer(cause: Cause, node: Pick<Node, "annotations">): boolean {
  const theirs = tryCause(node);
  return theirs !== undefined && theirs.deadline < cause.deadline && !isUpgrades(theirs, cause);
}

/**
 * The cause that counts for a drain: the one with the nearer deadline, its own or that of the node's mark. Where a hook
 * holds an instance that is replaced because its node is ill, the deadline of the repair counts even if it is later.
 *
 * A deadline that had passed when the drain began is that of an earlier drain, and that of an upgrade is when it gives the
 * node up: neither ends another drain.
 */
export function nearestCause(own: Cause, node: Pick<Node, "annotations">, begun: Instant): Cause {
  const theirs = tryCause(node);
  if (theirs === undefined || theirs.deadline <= begun || isUpgrades(theirs, own)) return own;
  return theirs.deadline <= own.deadline || isRepaired(own, theirs) ? theirs : own;
}

/** Spot, maintenance and the end of a machine leave a repair no more time than they have. */
const isRepaired = (own: Cause, theirs: Cause): boolean =>
  own.reason === "terminating" && theirs.reason === "ill";

const isUpgrades = (cause: Cause, than: Cause): boolean =>
  cause.reason === "upgraded" && than.reason !== "upgraded";

/**
 * The cause that a node's mark has once this one counts for a drain. An upgrade opens the nodes whose marks have its
 * reason, so it writes that over no other, whatever the deadlines.
 */
export function causeOfMark(cause: Cause, node: Pick<Node, "annotations">): Cause {
  const theirs = tryCause(node);
  return theirs !== undefined && isUpgrades(cause, theirs) ? theirs : cause;
}
