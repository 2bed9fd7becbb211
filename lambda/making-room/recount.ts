import { between, type Instant, later, seconds } from "../base/time.ts";
import { costAnnotation, lowestCost, recordAt } from "./record.ts";
import type { Replica, Workload, WorkloadMetadata } from "./workload.ts";

/**
 * The time for which a budget may still count a pod that has ended: its controller may be some
 * seconds late in a busy cluster, and clocks differ.
 */
const recount = seconds(30);

/**
 * Whether a count has just gone back, or a surge has just failed: its note says when. What the API server remembers of a
 * write does not: it loses the time of each manager once somebody scales.
 */
export function isJustBack(
  { annotations }: Pick<WorkloadMetadata, "annotations">,
  now: Instant,
): boolean {
  const record = recordAt(now, annotations);
  return record?.phase === "none" && Math.abs(between(record.since, now)) < recount;
}

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
  isJustBack(workload, now) ||
  replicas.some(
    ({ pod: { annotations, termination } }) =>
      termination.kind !== "active" &&
      annotations[costAnnotation] === lowestCost &&
      now < later(termination.since, recount),
  );
