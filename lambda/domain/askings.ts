import type { Asking, Plan } from "./asking.ts";
import { budgetsOver } from "./budget.ts";
import { evictionPlan, tryGoverning } from "./eviction-plan.ts";
import { isPastThreshold, outlasts, remainingGrace } from "./force.ts";
import { underWay } from "./ledger.ts";
import type { Snapshot } from "./next-step.ts";
import type { Pod } from "./pod.ts";
import { holdsNode, isCritical, patienceWith, standingOf } from "./pod-class.ts";
import { protectionEnds } from "./protection.ts";
import { type Purse, purseFor } from "./purse.ts";
import { earliest, type Instant, later, latest, milliseconds } from "./time.ts";

/** What to ask for now, and when to look again. */
export interface Askings {
  readonly askings: readonly Asking[];
  readonly look: Instant;
}

/** Chooses which pods are asked to go now; pods that are held up by a budget never hold up others. */
export function askings(snapshot: Snapshot): Askings {
  const { now, deadline, ledger, settings } = snapshot;
  const plans = settings.mode === "evict" ? plansOf(snapshot) : [];
  const room = now < ledger.pausedUntil ? 0 : Math.max(0, ledger.room - underWay(ledger));
  const due = plans.filter(({ at }) => at <= now).map(({ asking }) => asking);
  const moments = [...plans.map(({ at }) => latest(at, ledger.pausedUntil)), ...turns(snapshot)];
  const look = earliest(deadline, ...moments.filter((at) => at > now));
  return { askings: due.slice(0, room), look };
}

function plansOf(snapshot: Snapshot): readonly Plan[] {
  const purse = purseFor(snapshot.pods, snapshot.ledger);
  const held = snapshot.pods.filter((pod) => holdsNode(pod, snapshot));
  const overdue = held.filter((pod) => isOverdue(pod, snapshot));
  const punctual = presentTier(held, snapshot).filter((pod) => !overdue.includes(pod));
  return [
    ...overdue.map((pod) => overduePlan(pod, purse, snapshot)),
    ...punctual
      .filter((pod) => standingOf(pod, snapshot) === "evictable")
      .toSorted((a, b) => budgetCount(a, snapshot) - budgetCount(b, snapshot))
      .map((pod) => evictionPlan(pod, purse, snapshot)),
  ];
}

const budgetCount = (pod: Pod, { budgets }: Snapshot): number => budgetsOver(pod, budgets).length;

function presentTier(held: readonly Pod[], { settings }: Snapshot): readonly Pod[] {
  if (settings.tiers === "none") return held;
  const ordinary = held.filter((pod) => !isCritical(pod));
  return ordinary.length > 0 ? ordinary : held;
}

/** Its grace does not fit before the deadline any more: tiers, protections and budgets hold it no longer. */
const isOverdue = (pod: Pod, { now, deadline, settings }: Snapshot): boolean =>
  settings.force === "at-deadline" &&
  (pod.termination.kind === "terminating"
    ? outlasts(pod, deadline)
    : isPastThreshold(pod, now, deadline));

/** An overdue pod that nothing holds up is evicted with what is left of its grace, any other deleted with it. */
function overduePlan(pod: Pod, purse: Purse, snapshot: Snapshot): Plan {
  const { now, deadline, ledger } = snapshot;
  const attempt = ledger.attempts.get(pod.uid);
  if (attempt === undefined && mayBeEvicted(pod, purse, snapshot))
    return evictionPlan(pod, allGiving, snapshot);
  const grace = remainingGrace(pod, now, deadline);
  const again = attempt?.verb === "delete" || attempt?.answer.kind === "pending";
  return {
    asking: { verb: "delete", pod, grace, budgetVersion: "" },
    at: again ? attempt.notBefore : now,
  };
}

const allGiving: Purse = { take: () => true };

function mayBeEvicted(pod: Pod, purse: Purse, snapshot: Snapshot): boolean {
  if (standingOf(pod, snapshot) !== "evictable") return false;
  const budget = tryGoverning(pod, snapshot.budgets);
  return budget === undefined ? budgetCount(pod, snapshot) < 2 : purse.take(budget);
}

/** The moments at which pods stand otherwise by the passing of time alone. */
const turns = (snapshot: Snapshot): readonly Instant[] =>
  snapshot.pods.flatMap((pod) => [
    ...(pod.termination.kind === "terminating"
      ? [stuckAfter(pod.termination.until, snapshot)]
      : []),
    later(snapshot.deadline, milliseconds(1 - pod.grace)),
    ...protectionEnds(pod, snapshot.settings.protections),
  ]);

const stuckAfter = (until: Instant, { node }: Snapshot): Instant =>
  later(until, milliseconds(patienceWith(node) + 1));
