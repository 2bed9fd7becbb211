import type { NodeName } from "../../../domain/ids.ts";
import type { DrainView } from "../../../ports/cluster.ts";
import { budgets, podsOf } from "./collections.ts";
import { Informer, type InformerOptions } from "./informer.ts";

/** Follows the pods of a node and all budgets; where one cannot be followed, neither is. */
export async function drainView(node: NodeName, following: InformerOptions): Promise<DrainView> {
  const pods = new Informer(podsOf(node), following);
  const guards = new Informer(budgets, following);
  const close = (): void => {
    pods.close();
    guards.close();
  };
  try {
    await Promise.all([pods.start(), guards.start()]);
  } catch (cause) {
    close();
    throw cause;
  }
  return {
    pods: () => pods.items(),
    budgets: () => guards.items(),
    listed: () => pods.listed(),
    list: () => pods.list(),
    close,
  };
}
