import type { NodeName } from "../../../domain/ids.ts";
import type { DrainView } from "../../../ports/cluster.ts";
import { budgets, podsOf } from "./collections.ts";
import { Informer, type InformerOptions } from "./informer.ts";

/** Follows the pods of a node and all budgets; fails if it cannot follow both. */
export async function drainView(node: NodeName, options: InformerOptions): Promise<DrainView> {
  const pods = new Informer(podsOf(node), options);
  const allBudgets = new Informer(budgets, options);
  const close = (): void => {
    pods.close();
    allBudgets.close();
  };
  try {
    await Promise.all([pods.start(), allBudgets.start()]);
  } catch (cause) {
    close();
    throw cause;
  }
  return {
    pods: () => pods.items(),
    budgets: () => allBudgets.items(),
    listed: () => pods.listed(),
    list: () => pods.list(),
    close,
  };
}
