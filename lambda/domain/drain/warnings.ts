import type { Budget } from "../pod/budget.ts";
import type { Pod } from "../pod/pod.ts";
import { budgetDoubts } from "./hold-reason.ts";
import { isBare } from "./pod-class.ts";
import { misreadAnnotations } from "./protection.ts";

/** What the eviction of a pod costs beyond a restart, and what its owner has wished for in vain; all that apply. */
export function warningsOf(pod: Pod, budgets: readonly Budget[]): readonly string[] {
  return [
    ...budgetDoubts(pod, budgets),
    ...(isBare(pod) ? ["no controller will put it up again"] : []),
    ...(pod.localStorage ? ["the data of its emptyDir volumes is lost"] : []),
    ...misreadAnnotations(pod),
  ];
}
