import { productName } from "../base/contract.ts";
import { between, type Instant, later, seconds } from "../base/time.ts";
import { type Budget, governs } from "../drain/budget.ts";
import type { Pod } from "../drain/pod.ts";
import { isActive } from "../drain/pod-class.ts";
import { costAnnotation, lowestCost, surgeAt } from "./record.ts";
import type { Replica, Workload, WorkloadMetadata } from "./workload.ts";

/**
 * The time for which a budget may still count a pod that has ended: its controller may be some
 * seconds late in a busy cluster, and clocks differ.
 */
const recount = seconds(30);

/** Whether somebody has just written the count of a workload: its controller is about to end a pod, or has, and a budget may still count that one. */
export const isJustCounted = ({ countedAt }: Pick<Workload, "countedAt">, now: Instant): boolean =>
  Math.abs(between(countedAt, now)) < recount;

/** Whether a drain has just put a count back, and nobody has written another one since. */
export const isJustBack = (
  workload: Pick<WorkloadMetadata, "annotations" | "countedAt" | "managers">,
  now: Instant,
): boolean =>
  surgeAt(now, workload.annotations) === undefined &&
  workload.managers.includes(productName) &&
  isJustCounted(workload, now);

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

/** Whether a budget still counts more pods than are ready. */
export const isAhead = (budget: Budget, pods: readonly Pod[]): boolean =>
  budget.currentHealthy >
  pods.filter((pod) => isActive(pod) && pod.ready && governs(budget, pod)).length;
