import { type Instant, later, seconds } from "../../lambda/base/time.ts";
import { nodes, pods } from "./core-resources.ts";
import { disrupted } from "./deletion.ts";
import { terminating } from "./kube-object.ts";
import { readTime } from "./kube-time.ts";
import { type Machinery, reconcile } from "./machinery.ts";
import type { Node, Taint } from "./node.ts";
import { type Pod, tolerationsOf } from "./pod.ts";
import { refTo } from "./resource.ts";

const why = {
  reason: "DeletionByTaintManager",
  message: "Taint manager: deleting due to NoExecute taint",
};

/** When a pod must leave because of one taint; never, if it tolerates the taint without a limit. */
function leavesAt(pod: Pod, taint: Taint, now: Instant): number {
  const tolerated = tolerationsOf(pod.spec, taint);
  if (tolerated.length === 0) return now;
  const shortest = Math.min(
    ...tolerated.map(({ tolerationSeconds = Number.POSITIVE_INFINITY }) => tolerationSeconds),
  );
  const since = taint.timeAdded === undefined ? now : readTime(taint.timeAdded);
  return later(since, seconds(Math.max(0, shortest)));
}

/** Deletes pods that do not tolerate a `NoExecute` taint of their node; it ignores budgets. */
export function evictByTaints(machinery: Machinery): void {
  const { store, deleter, timeline, placed } = machinery;
  const consider = (pod: Pod, taints: readonly Taint[]): void => {
    const now = timeline.now();
    const at = Math.min(...taints.map((taint) => leavesAt(pod, taint, now)));
    if (at > now && Number.isFinite(at)) wake.at(at as Instant);
    if (at > now) return;
    deleter.tryDelete(
      pods,
      store.update(refTo(pods, pod), (it) => disrupted(it, why, now)),
    );
  };
  const clear = ({ spec, metadata }: Node): void => {
    const taints = spec.taints?.filter(({ effect }) => effect === "NoExecute") ?? [];
    const here = taints.length > 0 ? placed.on(metadata.name) : [];
    for (const pod of here.filter((one) => !terminating(one))) consider(pod, taints);
  };
  const wake = reconcile(machinery, [nodes, pods], () => {
    for (const node of store.list(nodes)) clear(node);
  });
}
