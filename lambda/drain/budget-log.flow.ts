import { someOf } from "../base/counted.ts";
import type { NodeName, PodUid } from "../base/ids.ts";
import type { Journal } from "../notice/journal.port.ts";
import { type Budget, budgetTitle } from "./budget.ts";
import type { BudgetNumbers, DrainEntry } from "./drain-entry.ts";
import { type HeldPod, heldByBudget, waitsItsTurn } from "./held-by-budget.ts";
import { isOverdue } from "./overdue.ts";
import { type ObjectRef, ownerRef, podTitle } from "./pod.ts";
import type { Snapshot } from "./snapshot.ts";

/** Tells the journal which pods a budget begins to hold, and which it no longer holds; one entry for each budget. */
export class BudgetLog {
  readonly #node: NodeName;
  readonly #journal: Journal<DrainEntry>;
  #held: ReadonlyMap<PodUid, HeldPod> = new Map();
  readonly #unread = new Set<string>();

  constructor(node: NodeName, journal: Journal<DrainEntry>) {
    this.#node = node;
    this.#journal = journal;
  }

  /** Records what has changed since the last time. */
  tell(snapshot: Snapshot): void {
    this.#tellUnread(snapshot);
    const before = this.#held;
    const { attempts } = snapshot.ledger;
    // A pod that other evictions go before is not held yet: what the budget has left is often freed at once.
    const isHeld = (one: HeldPod): boolean =>
      before.has(one.pod.uid) || attempts.has(one.pod.uid) || !waitsItsTurn(one);
    const held = new Map(
      heldByBudget(snapshot).flatMap((one) => (isHeld(one) ? [[one.pod.uid, one]] : [])),
    );
    this.#held = held;
    for (const { owners, ...group } of byBudgets(without(held, before)))
      this.#journal.record({ kind: "pods-held", node: this.#node, ...group, owners });
    const by = ({ pod }: HeldPod) => (isOverdue(pod, snapshot) ? "deadline" : "budget");
    const freed = asNow(without(before, held), snapshot);
    for (const [what, some] of Map.groupBy(freed, by))
      for (const { owners: _, ...group } of byBudgets(some))
        this.#journal.record({ kind: "pods-freed", node: this.#node, by: what, ...group });
  }

  /** Warns once of each namespace whose budgets are not known. */
  #tellUnread({ unread }: Snapshot): void {
    for (const [namespace, why] of unread) {
      if (this.#unread.has(namespace)) continue;
      this.#unread.add(namespace);
      const about = `budgets of ${namespace}`;
      const warnings = [`not known, so that the API server alone judges evictions there: ${why}`];
      this.#journal.record({ kind: "warning", about, warnings });
    }
  }
}

/** Some pods of the same budgets. */
interface HeldGroup extends BudgetNumbers {
  readonly pods: readonly string[];
  readonly owners: readonly ObjectRef[];
}

const byBudgets = (held: readonly HeldPod[]): readonly HeldGroup[] =>
  [...Map.groupBy(held, ({ budgets }) => titleOf(budgets)).values()].flatMap((group) =>
    group.slice(0, 1).map(({ budgets }) => ({
      pods: group.map(({ pod }) => podTitle(pod)),
      owners: ownersOf(group),
      ...numbersOf(budgets),
    })),
  );

const ownersOf = (held: readonly HeldPod[]): readonly ObjectRef[] => [
  ...new Map(held.map(({ pod }) => ownerRef(pod)).map((ref) => [ref.uid, ref])).values(),
];

const without = (
  some: ReadonlyMap<PodUid, HeldPod>,
  others: ReadonlyMap<PodUid, HeldPod>,
): readonly HeldPod[] => [...some.values()].filter(({ pod }) => !others.has(pod.uid));

/** Pods that were held, with their budgets as they are now; a budget that is gone stays as it was. */
function asNow(held: readonly HeldPod[], { budgets }: Snapshot): readonly HeldPod[] {
  if (held.length === 0) return [];
  const known = new Map(budgets.map((budget) => [budgetTitle(budget), budget]));
  return held.map((one) => ({
    pod: one.pod,
    budgets: one.budgets.map((old) => known.get(budgetTitle(old)) ?? old),
  }));
}

// Others may have a thousand budgets select a pod, and each pod by a set of its own.
const titleOf = (budgets: readonly Budget[]): string => someOf(budgets.map(budgetTitle));

/** The numbers of the budgets; of several, those that allow the fewest disruptions. */
function numbersOf(budgets: readonly Budget[]): BudgetNumbers {
  const [tightest] = budgets.toSorted((a, b) => a.disruptionsAllowed - b.disruptionsAllowed);
  return {
    budget: titleOf(budgets),
    healthy: tightest?.currentHealthy ?? 0,
    desired: tightest?.desiredHealthy ?? 0,
    allowed: tightest?.disruptionsAllowed ?? 0,
  };
}
