import type { V1PodDisruptionBudget } from "@kubernetes/client-node";
import { sideBySide } from "../../lambda/base/side-by-side.ts";
import type { Budget } from "../../lambda/drain/budget.ts";
import { Semaphore } from "../../lambda/http/semaphore.ts";
import { type ListTools, partOf } from "../../lambda/kubernetes/bounded-list.ts";
import { budgetOf } from "../../lambda/kubernetes/budget-of.ts";
import { allBudgetsBut, budgetsIn, mostBudgets } from "../../lambda/kubernetes/collections.ts";
import { type ReadWithin, readWithin } from "../../lambda/kubernetes/listed-within.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import { readsAtOnce } from "./reads-at-once.ts";

// Budgets that others write may be large: few pages are in memory at once.
const pagesAtOnce = 6;
const mostLeftOut = 50;

export const listToolsOf = ({
  client,
  clock,
}: Pick<ClusterAccess, "client" | "clock">): ListTools => ({
  client,
  clock,
  gate: new Semaphore(() => pagesAtOnce),
});

/** Reads the budgets of some namespaces, or of all, without those of namespaces that have too many, or too large ones. */
export async function readBudgets(
  namespaces: readonly string[] | "all",
  tools: ListTools,
): Promise<ReadWithin<Budget>> {
  if (namespaces === "all") return readWithin(tools.client, allBudgetsBut(mostLeftOut));
  const read = await sideBySide(namespaces, readsAtOnce, async (namespace) => {
    const { items, cut } = await partOf<V1PodDisruptionBudget, Budget>(
      {
        path: budgetsIn(namespace).path,
        pageSize: 500,
        most: mostBudgetsRead,
        mostBytes: mostBudgets,
        itemsOf: (sent) => [budgetOf(sent)],
      },
      tools,
    );
    return cut === "" ? { items, leftOut: [] } : { items: [], leftOut: [namespace] };
  });
  return {
    items: read.flatMap(({ items }) => items),
    leftOut: read.flatMap(({ leftOut }) => leftOut),
  };
}

const mostBudgetsRead = 2000;
