import { type HeldPod, heldByBudget } from "../../domain/drain/held-by-budget.ts";
import type { Snapshot } from "../../domain/drain/snapshot.ts";
import type { BudgetNumbers } from "../../domain/entry.ts";
import type { NodeName, PodUid } from "../../domain/ids.ts";
import { type Budget, budgetTitle } from "../../domain/pod/budget.ts";
import { podTitle } from "../../domain/pod/pod.ts";
import type { Journal } from "../../ports/journal.ts";

/** Tells the journal which pods a budget begins to hold, and which it no longer holds; one entry for each budget. */
export class BudgetStory {
  readonly #node: NodeName;
  readonly #journal: Journal;
  #held: ReadonlyMap<PodUid, HeldPod> = new Map();

  constructor(node: NodeName, journal: Journal) {
    this.#node = node;
    this.#journal = journal;
  }

  /** Records what has changed since the last time. */
  tell(snapshot: Snapshot): void {
    const before = this.#held;
    const held = new Map(heldByBudget(snapshot).map((one) => [one.pod.uid, one]));
    this.#held = held;
    this.#record("pods-held", without(held, before));
    this.#record(
      "pods-freed",
      without(before, held).map((one) => asNow(one, snapshot)),
    );
  }

  #record(kind: "pods-held" | "pods-freed", changed: readonly HeldPod[]): void {
    for (const group of Map.groupBy(changed, ({ budgets }) => titleOf(budgets)).values()) {
      const pods = group.map(({ pod }) => podTitle(pod));
      for (const { budgets } of group.slice(0, 1))
        this.#journal.record({ kind, node: this.#node, pods, ...numbersOf(budgets) });
    }
  }
}

const without = (
  some: ReadonlyMap<PodUid, HeldPod>,
  others: ReadonlyMap<PodUid, HeldPod>,
): readonly HeldPod[] => [...some.values()].filter(({ pod }) => !others.has(pod.uid));

/** A pod that was held, with its budgets as they are now; a budget that is gone stays as it was. */
const asNow = ({ pod, budgets }: HeldPod, snapshot: Snapshot): HeldPod => ({
  pod,
  budgets: budgets.map(
    (old) => snapshot.budgets.find((now) => budgetTitle(now) === budgetTitle(old)) ?? old,
  ),
});

const titleOf = (budgets: readonly Budget[]): string => budgets.map(budgetTitle).join(", ");

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
