import type { PodUid } from "../../lambda/base/ids.ts";
import { sideBySide } from "../../lambda/base/side-by-side.ts";
import { type Budget, budgetsHolding, budgetsOver } from "../../lambda/drain/budget.ts";
import { budgetDoubts } from "../../lambda/drain/hold-reason.ts";
import type { Pod } from "../../lambda/drain/pod.ts";
import { readsAtOnce } from "../connect/reads-at-once.ts";
import type { ClusterReader } from "./cluster-reader.ts";

/**
 * The pods that their budgets never let go, but that an operator may move once their node is closed, and what each belongs
 * to. Either is a sign of an operator:
 * - the pod belongs to a custom resource, as with CloudNativePG and Longhorn;
 * - the budget selects only some pods of its StatefulSet, as with Zalando: those with a part that another may take over.
 */
export async function operatedAmong(
  pods: readonly Pod[],
  budgets: readonly Budget[],
  reader: Pick<ClusterReader, "kin">,
): Promise<ReadonlyMap<PodUid, string>> {
  const held = pods.filter((pod) => isHeldForGood(pod, budgets));
  const stateful = new Map(held.filter(isStateful).map((pod) => [ownerTitle(pod), pod]));
  const read = await sideBySide([...stateful], readsAtOnce, async ([owner, pod]) => {
    const kin = await reader.kin(pod);
    return [owner, kin] as const;
  });
  const kin = new Map(read);
  const isOperated = (pod: Pod): boolean => {
    const own = budgetsOver(pod, budgets);
    const others = isStateful(pod) ? (kin.get(ownerTitle(pod)) ?? []) : [];
    return isCustom(pod) || others.some((other) => budgetsOver(other, own).length === 0);
  };
  return new Map(held.filter(isOperated).map((pod) => [pod.uid, ownerTitle(pod)]));
}

const isHeldForGood = (pod: Pod, budgets: readonly Budget[]): boolean =>
  budgetsHolding(pod, budgets).length === 1 && budgetDoubts(pod, budgets).length > 0;

const isStateful = ({ controller }: Pod): boolean =>
  controller.kind === "owner" && controller.type === "StatefulSet" && !isCustom({ controller });

/** The group of a CustomResourceDefinition is a domain. */
const isCustom = ({ controller }: Pick<Pod, "controller">): boolean =>
  controller.kind === "owner" && /\..*\//.test(controller.apiVersion);

const ownerTitle = ({ controller, namespace }: Pod): string =>
  controller.kind === "owner" ? `${controller.type} ${namespace}/${controller.name}` : "";
