import type { Pod } from "../pod/pod.ts";
import { earliest, type Instant, later, seconds } from "../time.ts";
import { budgetAllowance } from "./budget-allowance.ts";
import { evictionPlan } from "./eviction-plan.ts";
import { freeRoom } from "./ledger.ts";
import { isOfDaemonSet, isTerminal, isTerminating, toleratesMark } from "./pod-class.ts";
import { isSkipped, tryProtection } from "./protection.ts";
import type { PodRequests, Snapshot } from "./snapshot.ts";

// A request that is out shall reach the API server; nobody waits for the pod.
const patience = seconds(5);

/**
 * Chooses the pods of DaemonSets that are asked to go from a node that is otherwise free, where that is wanted.
 *
 * They are asked once, and neither a refusal nor a pod that stays holds up the drain.
 */
export function daemonSetRequests(snapshot: Snapshot): PodRequests | "none" {
  const { now, deadline, ledger, settings } = snapshot;
  if (settings.daemonSets === "leave" || settings.mode === "cordon-only" || now >= deadline)
    return "none";
  const allowance = budgetAllowance(snapshot.pods, snapshot);
  const due = snapshot.pods
    .filter((pod) => mayBeAsked(pod, snapshot))
    .map((pod) => evictionPlan(pod, allowance, snapshot))
    .filter(({ at }) => at <= now)
    .map(({ request }) => request)
    .slice(0, freeRoom(ledger, now));
  const waits = unanswered(snapshot);
  if (due.length === 0 && waits.length === 0) return "none";
  return { requests: due, recheck: earliest(deadline, later(now, patience), ...waits) };
}

/**
 * Whether it helps to ask a pod. All of these:
 * - it is of a DaemonSet, and runs;
 * - its DaemonSet does not put it back over the mark;
 * - nobody wants it left alone;
 * - volumes do not need it to detach;
 * - it has not been asked yet.
 */
const mayBeAsked = (pod: Pod, snapshot: Snapshot): boolean =>
  isOfDaemonSet(pod, snapshot) &&
  !(pod.mirror || isTerminal(pod) || isTerminating(pod)) &&
  !toleratesMark(pod, snapshot) &&
  !isSkipped(pod) &&
  tryProtection(pod, snapshot.settings.protections, snapshot.now) === undefined &&
  !pod.csiNodePlugin &&
  !snapshot.ledger.attempts.has(pod.uid);

/** Until when the answers are waited for that are still out. */
const unanswered = (snapshot: Snapshot): readonly Instant[] =>
  snapshot.pods
    .filter((pod) => isOfDaemonSet(pod, snapshot))
    .flatMap((pod) => snapshot.ledger.attempts.get(pod.uid) ?? [])
    .filter(({ answer }) => answer.kind === "pending")
    .map(({ asked }) => later(asked, patience))
    .filter((until) => until > snapshot.now);
