import { type Budget, budgetsOver, budgetTitle, isExempt } from "./budget.ts";
import type { Snapshot } from "./next-step.ts";
import { type Pod, podTitle } from "./pod.ts";
import { isCritical, isStuck, standingOf } from "./pod-class.ts";
import { tryProtection } from "./protection.ts";
import { between, type Instant, latest, spoken, timestamp } from "./time.ts";

/** Says in one line why a pod is still on the node, and what a person can do about it. */
export function holdReason(pod: Pod, snapshot: Snapshot): string {
  return `${podTitle(pod)}: ${reasonOf(pod, snapshot)}`;
}

function reasonOf(pod: Pod, snapshot: Snapshot): string {
  if (pod.termination.kind === "terminating") return ending(pod, pod.termination.until, snapshot);
  const { settings, now } = snapshot;
  const protection = tryProtection(pod, settings.protections, now);
  if (protection !== undefined) return `protected by its annotation ${protection}`;
  if (settings.mode === "cordon-only") return "not evicted, for this deployment only cordons";
  if (waitsForTier(pod, snapshot)) return "critical, so it leaves after the ordinary pods above";
  return budgetReason(pod, snapshot) ?? lastAnswer(pod, snapshot);
}

function ending(pod: Pod, until: Instant, snapshot: Snapshot): string {
  const { now } = snapshot;
  const finalizers = pod.finalizers.length === 0 ? "" : `, finalizers ${pod.finalizers.join(", ")}`;
  if (isStuck(pod, snapshot))
    return `stuck since ${timestamp(until)}, no longer waited for${finalizers}`;
  if (now > until) return `should have ended ${spoken(between(until, now))} ago${finalizers}`;
  return `ending, its grace lasts ${spoken(between(now, until))} more${finalizers}`;
}

const waitsForTier = (pod: Pod, snapshot: Snapshot): boolean =>
  snapshot.settings.tiers === "critical-last" &&
  isCritical(pod) &&
  snapshot.pods.some(
    (other) => !isCritical(other) && holding.includes(standingOf(other, snapshot)),
  );

const holding = ["leaving", "protected", "evictable"];

function budgetReason(pod: Pod, snapshot: Snapshot): string | undefined {
  const over = budgetsOver(pod, snapshot.budgets);
  const [budget, ...others] = over;
  if (budget === undefined) return undefined;
  if (others.length > 0)
    return `${over.length} budgets select it (${over.map(budgetTitle).join(", ")}), and the API evicts no such pod: leave one`;
  if (isExempt(pod, budget)) return undefined;
  const held = spoken(between(latest(snapshot.marked, pod.created), snapshot.now));
  return `held for ${held} by budget ${stand(budget)}`;
}

function stand(budget: Budget): string {
  const { currentHealthy, desiredHealthy, disruptionsAllowed, rule, meetable, observed } = budget;
  const title = budgetTitle(budget);
  if (meetable === "never")
    return `${title}, which can never be met (${rule}): change it, or scale up`;
  if (!observed) return `${title}, whose status is not up to date yet`;
  const health = `${currentHealthy} healthy of ${desiredHealthy} desired`;
  return `${title} (${rule}): ${health}, ${disruptionsAllowed} disruptions allowed`;
}

function lastAnswer(pod: Pod, { ledger }: Snapshot): string {
  const attempt = ledger.attempts.get(pod.uid);
  if (attempt === undefined) return "not evicted yet";
  const { answer } = attempt;
  if (answer.kind === "pending") return "the API server has not answered its eviction yet";
  if (answer.kind === "accepted" || answer.kind === "gone") return "evicted, not gone yet";
  return `its eviction was refused (${answer.kind}): ${answer.message}`;
}
