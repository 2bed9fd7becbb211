import { type Instant, instant, later, seconds, timestamp, tryInstantOf } from "../base/time.ts";
import { type Marking, unchanged } from "./marking.ts";
import type { Node } from "./node.ts";

/** The annotation with the lease of a node: the name of a process, and a time in ISO 8601. */
export const leaseAnnotation = "eks-node-lifecycle/drain-turn";

/** The lease of a process to evict the pods of a node. Other processes that drain the node follow meanwhile. */
export interface EvictionLease {
  readonly process: string;
  readonly until: Instant;
}

/** Lease duration, and so the delay after a crash. A process renews its lease only while it has evictions to send. */
export const leaseDuration = seconds(20);
// A request of the last moment takes effect before another process may evict.
const lastAnswers = seconds(-5);

export const newLease = (process: string, now: Instant): EvictionLease => ({
  process,
  until: later(now, leaseDuration),
});

/** The lease in a node's annotation; `undefined` if there is none. */
export function tryLease({ annotations }: Pick<Node, "annotations">): EvictionLease | undefined {
  const [process, time = ""] = annotations[leaseAnnotation]?.split(" ") ?? [];
  const until = tryInstantOf(time);
  return process === undefined || until === undefined ? undefined : { process, until };
}

/** The time until which a process may send evictions by this lease; a past time where another process holds it. */
export const evictsUntil = (lease: EvictionLease | undefined, process: string): Instant =>
  lease !== undefined && lease.process === process ? later(lease.until, lastAnswers) : instant(0);

/** Adds a lease to a marking. */
export const withLease = (marking: Marking, { process, until }: EvictionLease): Marking => ({
  ...marking,
  annotations: { ...marking.annotations, [leaseAnnotation]: `${process} ${timestamp(until)}` },
});

/** The marking with which a process takes the lease of a marked node. */
export const leaseMarking = (lease: EvictionLease): Marking =>
  withLease({ ...unchanged, annotations: {} }, lease);
