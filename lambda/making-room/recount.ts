import { between, type Instant, later, seconds } from "../base/time.ts";
import { isCheap } from "./record.ts";
import type { Replica, Workload, WorkloadMetadata } from "./workload.ts";

/**
 * The time for which a budget may still count a pod that has ended: its controller may be some
 * seconds late in a busy cluster, and clocks differ.
 */
export const recount = seconds(30);

/**
 * Whether a count has just gone back, or gone up again since: a new surge overwrites the traces of the last one. Any trace may be
 * gone: the record, where somebody writes the annotations again, the label, or the time in `managedFields`, where somebody
 * scales, if only to the same count.
 */
export const isJustChanged = (
  { changes }: Pick<WorkloadMetadata, "changes">,
  now: Instant,
): boolean => changes.some((at) => Math.abs(between(at, now)) < recount);

/** Whether the way back has just ended a pod, or is about to: for a moment its budget still counts that, and would let another one go too. */
export const hasLetGo = ({
  replicas,
  workload,
  now,
}: {
  readonly replicas: readonly Replica[];
  readonly workload: Workload;
  readonly now: Instant;
}): boolean =>
  isJustChanged(workload, now) ||
  replicas.some(
    ({ pod: { annotations, termination } }) =>
      termination.kind !== "active" &&
      isCheap(annotations) &&
      now < later(termination.since, recount),
  );
