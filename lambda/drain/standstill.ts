import {
  between,
  type Duration,
  type Instant,
  instant,
  later,
  latest,
  minutes,
  seconds,
} from "../base/time.ts";
import { type Budget, budgetsOver } from "./budget.ts";
import { heldByBudget, waitsItsTurn } from "./held-by-budget.ts";
import { isOverdue, nextForce } from "./overdue.ts";
import type { Pod } from "./pod.ts";
import { holdsNode } from "./pod-class.ts";
import type { Snapshot } from "./snapshot.ts";

// Budgets that let pods go one by one, as soon as each is replaced, move on more often than that.
const longStandstill = minutes(10);
// Long enough for the first answers of a pass.
const briefLook = seconds(3);

/**
 * The end of a pass that has nothing to request.
 *
 * It watches its full time as long as pods may leave any moment. If nothing has changed for ten minutes, it looks only
 * briefly: the queue is nearly free, the function is not.
 */
export function passEnd(
  snapshot: Snapshot,
  {
    began,
    ends,
    standstill = longStandstill,
  }: {
    readonly began: Instant;
    readonly ends: Instant;
    /** How long nothing has to have changed. @default ten minutes */
    readonly standstill?: Duration;
  },
): Instant {
  const { now, deadline, ledger } = snapshot;
  const holding = snapshot.pods.filter((pod) => holdsNode(pod, snapshot));
  const isUrgent =
    deadline <= ends ||
    nextForce(holding, snapshot) <= ends ||
    holding.some((pod) => isOverdue(pod, snapshot));
  if (holding.length === 0 || isUrgent || isAboutToAsk(snapshot)) return ends;
  if (between(stillSince(holding, snapshot), now) < standstill) return ends;
  const asked = [...ledger.attempts.values()].map((attempt) => attempt.asked);
  return later(latest(began, ...asked), briefLook);
}

/** True if a request waits only for other requests: the API server throttles, or a budget lets one pod go after the other. */
const isAboutToAsk = (snapshot: Snapshot): boolean =>
  snapshot.now < snapshot.ledger.pausedUntil || heldByBudget(snapshot).some(waitsItsTurn);

/** Since when nothing has changed about these pods, as far as the cluster shows, so that every pass finds the same. */
const stillSince = (pods: readonly Pod[], { marked, budgets }: Snapshot): Instant =>
  latest(marked, ...pods.map((pod) => sinceFor(pod, budgets)));

// A function takes some 100,000 arguments, and others may have a thousand budgets select each of their pods.
const sinceFor = (pod: Pod, budgets: readonly Budget[]): Instant =>
  latest(pod.created, terminatesSince(pod), ...budgetsOver(pod, budgets).map(({ spent }) => spent));

const terminatesSince = ({ termination }: Pod): Instant =>
  termination.kind === "active" ? instant(0) : termination.since;
