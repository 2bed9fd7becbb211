import { type Requirement, selects } from "./budget.ts";
import type { Node } from "./node.ts";
import { type Pod, tolerates } from "./pod.ts";
import { cordonTaint } from "./pod-class.ts";
import type { NodeTerm, ReschedulablePod } from "./reschedulable-pod.ts";

/**
 * Why the scheduler would not put a pod onto a node, whatever is free there; `undefined` if nothing speaks against it.
 *
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/
 */
export function tryObstacle({ pod, demands }: ReschedulablePod, node: Node): string | undefined {
  if (node.readiness !== "ready") return "not ready";
  if (node.unschedulable && !tolerates(pod, cordonTaint)) return "cordoned";
  return tryTaint(pod, node) ?? demands.find((demand) => !demand.anyOf.some(fits(node)))?.from;
}

const repelling = ["NoSchedule", "NoExecute"];

function tryTaint(pod: Pod, { taints }: Node): string | undefined {
  const taint = taints.find((one) => repelling.includes(one.effect) && !tolerates(pod, one));
  return taint === undefined ? undefined : `taint ${taint.key}`;
}

/** A term without requirements fits no node. */
const fits =
  ({ name, labels: own }: Node) =>
  ({ labels, fields }: NodeTerm): boolean =>
    labels.length + fields.length > 0 &&
    labels.every((needed) => meets(needed, own)) &&
    fields.every((needed) => meets(needed, { "metadata.name": name }));

function meets(needed: Requirement, labels: Node["labels"]): boolean {
  const { key, operator, values } = needed;
  if (operator !== "Gt" && operator !== "Lt")
    return selects({ kind: "labels", requirements: [needed] }, labels);
  const [got, bound] = [Number.parseInt(labels[key] ?? "", 10), Number(values[0])];
  return operator === "Gt" ? got > bound : got < bound;
}
