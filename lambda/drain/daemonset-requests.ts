import { earliest, type Instant, later, seconds } from "../base/time.ts";
import { budgetAllowance } from "./budget-allowance.ts";
import { evictionPlan } from "./eviction-plan.ts";
import { freeSlots } from "./ledger.ts";
import type { Pod } from "./pod.ts";
import { isActive, isLeftAlone, isOfDaemonSet, toleratesMark } from "./pod-class.ts";
import { tryProtectionOf } from "./protection.ts";
import type { DueRequests, Snapshot } from "./snapshot.ts";
import { waitsAsNewcomer } from "./tiers.ts";

// The drain waits this long for the API server's answer. It does not wait for the pod.
const answerTimeout = seconds(5);

/**
 * Chooses which pods of DaemonSets to evict, where the settings say so and once the node is free of all others.
 *
 * The drain requests each of them once. Neither a refusal nor a pod that stays holds up the drain.
 */
export function daemonSetRequests(snapshot: Snapshot): DueRequests | "none" {
  const { now, deadline, ledger, settings } = snapshot;
  if (settings.daemonSets === "leave" || settings.mode === "cordon-only" || now >= deadline)
    return "none";
  const allowance = budgetAllowance(snapshot.pods, snapshot);
  const due = snapshot.pods
    .filter((pod) => mayBeAsked(pod, snapshot))
    .map((pod) => evictionPlan(pod, allowance, snapshot))
    .filter(({ at }) => at <= now)
    .map(({ request }) => request)
    .slice(0, freeSlots(ledger, now));
  const waits = unanswered(snapshot);
  if (due.length === 0 && waits.length === 0) return "none";
  return { requests: due, recheck: earliest(deadline, later(now, answerTimeout), ...waits) };
}

/**
 * Whether the drain should evict a pod of a DaemonSet. All of these:
 * - it belongs to a DaemonSet, and runs;
 * - its DaemonSet does not put it back, neither despite the mark nor because somebody has taken the mark away;
 * - no annotation or setting skips or protects it;
 * - no volume needs it in order to detach;
 * - this pass has not requested it yet.
 */
const mayBeAsked = (pod: Pod, snapshot: Snapshot): boolean =>
  isOfDaemonSet(pod, snapshot) &&
  isActive(pod) &&
  !(toleratesMark(pod, snapshot) || waitsAsNewcomer(pod, snapshot)) &&
  !isLeftAlone(pod, snapshot) &&
  tryProtectionOf(pod, snapshot) === undefined &&
  !pod.csiNodePlugin &&
  !snapshot.ledger.attempts.has(pod.uid);

/** Until when the drain waits for the answers that have not come yet. */
const unanswered = (snapshot: Snapshot): readonly Instant[] =>
  snapshot.pods
    .filter((pod) => isOfDaemonSet(pod, snapshot))
    .flatMap((pod) => snapshot.ledger.attempts.get(pod.uid) ?? [])
    .filter(({ answer }) => answer.kind === "pending")
    .map(({ asked }) => later(asked, answerTimeout))
    .filter((until) => until > snapshot.now);
