import type { Budget } from "./budget.ts";
import { budgetDoubts } from "./hold-reason.ts";
import { isBare, type Pod } from "./pod.ts";
import { misreadAnnotations } from "./protection.ts";

/** Warns of what a pod's eviction costs beyond a restart, and of budgets and annotations that cannot work as they are. */
export function warningsOf(pod: Pod, budgets: readonly Budget[]): readonly string[] {
  return [
    ...budgetDoubts(pod, budgets),
    ...(isBare(pod) ? ["no controller will put it up again"] : []),
    ...(pod.localStorage ? ["the data of its emptyDir volumes is lost"] : []),
    ...misreadAnnotations(pod),
  ];
}
