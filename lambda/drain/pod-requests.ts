import {
  between,
  earliest,
  type Instant,
  later,
  latest,
  milliseconds,
  seconds,
} from "../base/time.ts";
import { budgetsHolding, budgetsOver } from "./budget.ts";
import { type BudgetAllowance, budgetAllowance, shareOfNamespace } from "./budget-allowance.ts";
import {
  awaitingPlan,
  deletionOf,
  evictionPlan,
  overduePlan,
  type PlannedRequest,
} from "./eviction-plan.ts";
import { byBudgets, freeSlots, isLate, type Ledger, prompt, roomFor, underWay } from "./ledger.ts";
import { isOverdue, overdueFrom } from "./overdue.ts";
import type { Pod } from "./pod.ts";
import { holdsNode, isTerminating, podClassOf, stuckSlack } from "./pod-class.ts";
import { protectionEnds } from "./protection.ts";
import type { DueRequests, PodRequest, Snapshot } from "./snapshot.ts";
import { criticalFrom, newcomerWaitsUntil, waitsAsNewcomer, waitsForTier } from "./tiers.ts";

/** Chooses which pods to request now; a pod that its budget holds up never holds up others. */
export function podRequests(snapshot: Snapshot): DueRequests {
  const { now, ledger, settings } = snapshot;
  const plans = settings.mode === "evict" ? pausedPlans(snapshot) : [];
  const due = plans.filter(({ at }) => at <= now).map(({ request }) => request);
  const room = now < ledger.pausedUntil ? roomInPause(ledger) : freeSlots(ledger, now);
  const moments = plans.map(({ at }) => at).filter((at) => at > now);
  const requests = withinShares(due, snapshot).slice(0, room);
  const more = requests.length < due.length ? [later(now, prompt)] : [];
  return { requests, recheck: earliest(nextDue(snapshot), ...moments, ...more) };
}

/** The requests that leave room for those of other namespaces with pods on the node: each has a third of what the others leave. */
function withinShares(due: readonly PodRequest[], snapshot: Snapshot): readonly PodRequest[] {
  if (due.length === 0) return due;
  const { ledger, now, pods } = snapshot;
  const held = pods.filter((pod) => holdsNode(pod, snapshot));
  if (held.every(({ namespace }) => namespace === held[0]?.namespace)) return due;
  const isUnderWay = ({ uid }: Pod) => ledger.attempts.get(uid)?.answer.kind === "pending";
  const counts = new Map<string, number>();
  for (const { namespace } of pods.filter(isUnderWay))
    counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
  let free = roomFor(ledger, now);
  return inTurn(due, snapshot).filter(({ pod: { namespace } }) => {
    const own = counts.get(namespace) ?? 0;
    if (own >= Math.max(1, (free + own) * shareOfNamespace)) return false;
    counts.set(namespace, own + 1);
    free -= 1;
    return true;
  });
}

/** The requests of all namespaces in turn, those first that have the fewest requests without effect: many namespaces may be slow. */
function inTurn(
  due: readonly PodRequest[],
  { ledger, pods, unread }: Snapshot,
): readonly PodRequest[] {
  const turns = new Map<string, number>();
  const next = ({ namespace }: Pod): number => {
    const turn = turns.get(namespace) ?? 0;
    turns.set(namespace, turn + 1);
    return turn;
  };
  // Where budgets are not known, each eviction may be slow.
  const rank = ({ pod }: PodRequest): number => (unread.has(pod.namespace) ? 1 : 0);
  for (const pod of pods) {
    const attempt = ledger.attempts.get(pod.uid);
    if (attempt !== undefined && isLate(attempt)) next(pod);
  }
  return due
    .map((request) => ({ request, turn: next(request.pod) }))
    .toSorted((a, b) => rank(a.request) - rank(b.request) || a.turn - b.turn)
    .map(({ request }) => request);
}

/** True while a pod terminates, or is about to be evicted and its budgets do not refuse. */
export function mayStillLeave(snapshot: Snapshot): boolean {
  const { ledger, pods, triesUntil } = snapshot;
  const leaves = pods.some((pod) => isTerminating(pod) && holdsNode(pod, snapshot));
  if (leaves || underWay(ledger) > 0) return true;
  const plans = snapshot.settings.mode === "evict" ? pausedPlans(snapshot) : [];
  return plans.some(({ request, at }) => {
    const answer = ledger.attempts.get(request.pod.uid)?.answer.kind ?? "unasked";
    return at < triesUntil && !byBudgets.includes(answer);
  });
}

function pausedPlans(snapshot: Snapshot): readonly PlannedRequest[] {
  const { pausedUntil } = snapshot.ledger;
  const { overdue, punctual } = plansOf(snapshot);
  const urgent = nextInPause(snapshot);
  return [
    ...overdue.map((plan) => notBefore(plan, urgent)),
    ...punctual.map((plan) => notBefore(plan, pausedUntil)),
  ];
}

/** The plans for the pods whose turn it is, as if the API server did not throttle. */
export interface Plans {
  readonly overdue: readonly PlannedRequest[];
  readonly punctual: readonly PlannedRequest[];
}

// The step and the story of a budget read the same plans of each snapshot.
const known = new WeakMap<Snapshot, Plans>();

/** Plans the requests for the pods of a snapshot; the overdue ones take first what their budgets allow. */
export function plansOf(snapshot: Snapshot): Plans {
  const plans = known.get(snapshot) ?? planned(snapshot);
  known.set(snapshot, plans);
  return plans;
}

function planned(snapshot: Snapshot): Plans {
  const allowance = budgetAllowance(snapshot.pods, snapshot);
  const held = snapshot.pods.filter(
    (pod) => holdsNode(pod, snapshot) && !waitsAsNewcomer(pod, snapshot),
  );
  const { overdue = [], punctual = [] } = Object.groupBy(held, (pod) =>
    isOverdue(pod, snapshot) ? "overdue" : "punctual",
  );
  return {
    overdue: overdue.map((pod) => overduePlan(pod, allowance, snapshot)),
    punctual: evictableAmong(punctual, snapshot).map((pod) =>
      punctualPlan(pod, allowance, snapshot),
    ),
  };
}

const notBefore = ({ request, at }: PlannedRequest, moment: Instant): PlannedRequest => ({
  request,
  at: latest(at, moment),
});

// An API server that throttles can bear one request at a time, five a second.
const paceInPause = milliseconds(200);

/**
 * When the drain may request an overdue pod during a pause.
 *
 * A pause of more than a tenth of the time left would cost the pod its grace, so it only slows the requests down.
 */
function nextInPause({ now, triesUntil, ledger }: Snapshot): Instant {
  const { pausedUntil } = ledger;
  if (between(now, pausedUntil) <= between(now, triesUntil) / 10) return pausedUntil;
  const last = [...ledger.attempts.values()].map(({ asked }) => later(asked, paceInPause));
  return latest(now, ...last);
}

const roomInPause = (ledger: Ledger): number => (underWay(ledger) === 0 ? 1 : 0);

/** The pods whose turn it is to be evicted, those with fewer budgets first. */
const evictableAmong = (pods: readonly Pod[], snapshot: Snapshot): readonly Pod[] =>
  freestFirst(
    pods.filter((pod) => podClassOf(pod, snapshot) === "evictable" && !waitsForTier(pod, snapshot)),
    snapshot,
  );

/** Sorts pods for scarce room: those without a budget first, then those with one, then those with several, at last those whose budgets are not known. */
const freestFirst = (pods: readonly Pod[], { budgets, unread }: Snapshot): readonly Pod[] =>
  pods
    .map((pod) => ({
      pod,
      count: unread.has(pod.namespace)
        ? Number.POSITIVE_INFINITY
        : budgetsOver(pod, budgets).length,
    }))
    .toSorted((a, b) => a.count - b.count)
    .map(({ pod }) => pod);

/** Whether a pod waits for one that is made elsewhere; without a budget it has nothing to wait for. */
const waitsForRoom = (pod: Pod, { room, budgets }: Snapshot): boolean =>
  room.get(pod.uid)?.state === "awaited" && budgetsHolding(pod, budgets).length > 0;

/** Plans an eviction; where force is allowed, a deletion if the pod's namespace ends too and has long refused evictions. */
function punctualPlan(pod: Pod, allowance: BudgetAllowance, snapshot: Snapshot): PlannedRequest {
  if (waitsForRoom(pod, snapshot)) return awaitingPlan(pod, snapshot);
  if (!isCutOff(pod, snapshot)) return evictionPlan(pod, allowance, snapshot);
  const { now, ledger } = snapshot;
  const at = ledger.attempts.get(pod.uid)?.notBefore ?? now;
  return { request: deletionOf(pod, snapshot), at };
}

const refusalsFor = seconds(30);

function isCutOff({ namespace }: Pod, { now, ledger, settings }: Snapshot): boolean {
  const since = ledger.terminatingNamespaces.get(namespace);
  if (since === undefined || settings.force === "never") return false;
  return between(since, now) >= refusalsFor;
}

/** The next moment at which time alone changes what the drain may do with a pod; at the latest the end of its tries. */
function nextDue(snapshot: Snapshot): Instant {
  let next = snapshot.triesUntil;
  const consider = (at: Instant): void => {
    if (at > snapshot.now && at < next) next = at;
  };
  for (const pod of snapshot.pods) {
    consider(overdueFrom(pod, snapshot));
    if (pod.termination.kind === "terminating")
      consider(stuckAfter(pod.termination.until, snapshot));
    if (waitsForTier(pod, snapshot)) consider(criticalFrom(snapshot));
    consider(newcomerWaitsUntil(pod, snapshot));
  }
  for (const end of endsOfProtections(snapshot)) consider(end);
  return next;
}

const endsOfProtections = ({ pods, settings }: Snapshot): readonly Instant[] =>
  pods.flatMap((pod) => protectionEnds(pod, settings.protections));

const stuckAfter = (until: Instant, { node }: Snapshot): Instant =>
  later(until, milliseconds(stuckSlack(node) + 1));
