import { earliest, type Instant, never } from "../base/time.ts";
import {
  type Budget,
  type BudgetAccount,
  type BudgetAccounts,
  budgetTitle,
  governs,
  untouched,
} from "./budget.ts";
import type { Ledger, PodAttempt } from "./ledger.ts";
import type { Pod } from "./pod.ts";

/** The disruptions that the budgets still allow in one step. */
export interface BudgetAllowance {
  /** Takes one disruption of a budget; false when the budget has none left. */
  take(budget: Budget): boolean;
  /** Takes one of the few evictions that may be under way in a namespace whose budgets are not known. */
  takeUnread(namespace: string): boolean;
  /** Whether as many evictions are under way as the budget, or its namespace, may have at once. */
  isCrowded(budget: Budget): boolean;
  /** From when on a disruption of a budget may be requested that can wait; never as long as only a change makes it possible. */
  from(budget: Budget): Instant;
  /** When the next accepted eviction no longer counts, should the budget's status never show it. */
  freed(budget: Budget): Instant;
}

// An eviction writes the status of its budget. If two do so at once, the API server tries one again half a second
// later, so that more requests at once only wait there.
const mostUnderWay = 5;

/** Somebody who changes a budget again and again, or answers for a webhook, makes each eviction last half a minute. The others need the room. */
export const shareOfNamespace = 1 / 3;

// Budgets that are hard to read here make each eviction slow in the API server, and other requests need the room.
const mostUnread = 2;

/** Counts the disruptions that the budgets of these pods allow now. */
export function budgetAllowance(pods: readonly Pod[], asked: Requested): BudgetAllowance {
  const left = new Map<Budget, number>();
  const taken = new Map<Budget, number>();
  const takenUnread = new Map<string, number>();
  const inNamespace = new Map<string, number>();
  const mostInNamespace = Math.max(1, Math.floor(asked.ledger.limit * shareOfNamespace));
  const unanswered = (namespace: string): number =>
    pods.filter(
      (pod) =>
        pod.namespace === namespace &&
        asked.ledger.attempts.get(pod.uid)?.answer.kind === "pending",
    ).length;
  const underWayIn = (namespace: string): number => {
    const count = inNamespace.get(namespace) ?? unanswered(namespace);
    inNamespace.set(namespace, count);
    return count;
  };
  const isCrowded = (budget: Budget): boolean => {
    const { claims } = accountOf(budget, asked);
    const underWay = [...claims.values()].filter(({ until }) => until === never);
    return (
      underWay.length + (taken.get(budget) ?? 0) >= mostUnderWay ||
      underWayIn(budget.namespace) >= mostInNamespace
    );
  };
  const allowed = (budget: Budget): number => {
    // Of the other pods nothing was requested: a namespace may have thousands for each of a thousand budgets.
    const governed = pods.filter(
      (pod) => asked.ledger.attempts.has(pod.uid) && governs(budget, pod),
    );
    return disruptionsLeft(budget, governed, asked);
  };
  return {
    take(budget) {
      const rest = left.get(budget) ?? allowed(budget);
      left.set(budget, Math.max(0, rest - 1));
      if (rest <= 0) return false;
      taken.set(budget, (taken.get(budget) ?? 0) + 1);
      inNamespace.set(budget.namespace, underWayIn(budget.namespace) + 1);
      return true;
    },
    takeUnread(namespace) {
      const count = takenUnread.get(namespace) ?? unanswered(namespace);
      takenUnread.set(namespace, Math.min(mostUnread, count + 1));
      return count < mostUnread;
    },
    isCrowded,
    from(budget) {
      const { use } = accountOf(budget, asked);
      if (use.kind !== "open" && use.until > asked.now) return use.until;
      return isCrowded(budget) ? never : asked.now;
    },
    freed(budget) {
      const ends = [...accountOf(budget, asked).claims.values()].map(({ until }) => until);
      return earliest(never, ...ends.filter((until) => until > asked.now));
    },
  };
}

const accountOf = (
  budget: Budget,
  { accounts }: Requested,
): Pick<BudgetAccount, "claims" | "use"> => accounts.get(budgetTitle(budget)) ?? untouched;

/** The requests of this pass up to now, and what all drains of this process have requested of budgets. */
export interface Requested {
  readonly ledger: Ledger;
  readonly accounts: BudgetAccounts;
  readonly now: Instant;
}

/**
 * The number of further evictions that a budget allows, after those that its status does not count
 * yet. The API server may refuse a pod although the version of the budget that is known here allows
 * its eviction. The server then knows a newer version, in which others took the rest, so this
 * budget allows no more.
 */
export function disruptionsLeft(
  budget: Budget,
  governed: readonly Pod[],
  asked: Requested,
): number {
  if (!budget.observed || governed.some((pod) => isRefusing(pod, budget, asked))) return 0;
  const claims = [...accountOf(budget, asked).claims].filter(([, { until }]) => until > asked.now);
  const own = governed.filter((pod) => isUncounted(pod, budget, asked.ledger));
  const spent = new Set([...claims.map(([uid]) => uid), ...own.map(({ uid }) => uid)]);
  return Math.max(0, budget.disruptionsAllowed - spent.size);
}

function isRefusing(pod: Pod, budget: Budget, { ledger, now }: Requested): boolean {
  const attempt = ledger.attempts.get(pod.uid);
  return attempt?.answer.kind === "blocked" && mustRest(attempt, budget, now);
}

/** Every answer rules out a new request for its time; a budget's refusal does so only until the budget changes. */
export const mustRest = (attempt: PodAttempt, budget: Budget, now: Instant): boolean =>
  attempt.notBefore > now &&
  (attempt.answer.kind !== "blocked" || attempt.budgetVersion === budget.resourceVersion);

/** Whether a pod has been requested and not refused, while the budget's status is still from before the request. */
function isUncounted(pod: Pod, budget: Budget, { attempts }: Ledger): boolean {
  const attempt = attempts.get(pod.uid);
  if (attempt === undefined || budget.disrupted.has(pod.name)) return false;
  if (attempt.answer.kind === "pending") return true;
  if (attempt.answer.kind !== "accepted") return false;
  return attempt.budgetVersion === budget.resourceVersion || pod.termination.kind === "active";
}
