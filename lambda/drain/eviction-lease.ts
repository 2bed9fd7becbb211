import { type Instant, instant, later, seconds, timestamp, tryInstantOf } from "../base/time.ts";
import { type Marking, unchanged } from "./marking.ts";
import type { Node } from "./node.ts";

/** Which process evicts the pods of a node, and until when: its name, and a time in ISO 8601. */
export const leaseAnnotation = "eks-node-lifecycle/drain-turn";

/** The turn of a process to evict the pods of a node. Others that drain the node follow meanwhile. */
export interface EvictionLease {
  readonly process: string;
  readonly until: Instant;
}

/** How long a turn lasts, and so how long the pods of a process that dies wait for another one. A process takes a new turn only while it has evictions to send. */
export const leaseDuration = seconds(20);
// What is sent at the last moment shows its effect before another process may evict.
const lastAnswers = seconds(-5);

export const newLease = (process: string, now: Instant): EvictionLease => ({
  process,
  until: later(now, leaseDuration),
});

/** The turn in a node's annotation; `undefined` if there is none. */
export function tryLease({ annotations }: Pick<Node, "annotations">): EvictionLease | undefined {
  const [process, time = ""] = annotations[leaseAnnotation]?.split(" ") ?? [];
  const until = tryInstantOf(time);
  return process === undefined || until === undefined ? undefined : { process, until };
}

/** Until when a process sends evictions by this turn; a time that has passed where it is the turn of another one. */
export const evictsUntil = (turn: EvictionLease | undefined, process: string): Instant =>
  turn !== undefined && turn.process === process ? later(turn.until, lastAnswers) : instant(0);

/** Adds a turn to a marking. */
export const withLease = (marking: Marking, { process, until }: EvictionLease): Marking => ({
  ...marking,
  annotations: { ...marking.annotations, [leaseAnnotation]: `${process} ${timestamp(until)}` },
});

/** The marking with which a process takes its turn on a marked node. */
export const leaseMarking = (turn: EvictionLease): Marking =>
  withLease({ ...unchanged, annotations: {} }, turn);
