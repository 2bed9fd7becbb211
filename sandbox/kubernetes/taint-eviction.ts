import { type Instant, later, seconds } from "../../lambda/base/time.ts";
import { nodes, pods } from "./core-resources.ts";
import { disrupted } from "./deletion.ts";
import { terminating } from "./kube-object.ts";
import { readTime } from "./kube-time.ts";
import { type Machinery, reconcile } from "./machinery.ts";
import type { Node, Taint } from "./node.ts";
import { type Pod, tolerationsOf } from "./pod.ts";
import { refTo } from "./resource.ts";
import type { Wake } from "./wake.ts";

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
export class TaintEviction {
  readonly #machinery: Machinery;
  readonly #wake: Wake;

  constructor(machinery: Machinery) {
    this.#machinery = machinery;
    this.#wake = reconcile(machinery, [nodes, pods], () => this.#work());
  }

  #work(): void {
    for (const node of this.#machinery.store.list(nodes)) {
      const taints = node.spec.taints?.filter(({ effect }) => effect === "NoExecute") ?? [];
      if (taints.length > 0) this.#clear(node, taints);
    }
  }

  #clear(node: Node, taints: readonly Taint[]): void {
    const { store, deleter, timeline } = this.#machinery;
    const now = timeline.now();
    const here = store
      .list(pods)
      .filter((pod) => pod.spec.nodeName === node.metadata.name && !terminating(pod));
    for (const pod of here) {
      const at = Math.min(...taints.map((taint) => leavesAt(pod, taint, now)));
      if (at > now) {
        if (Number.isFinite(at)) this.#wake.at(at as Instant);
        continue;
      }
      const why = {
        reason: "DeletionByTaintManager",
        message: "Taint manager: deleting due to NoExecute taint",
      };
      deleter.tryDelete(
        pods,
        store.update(refTo(pods, pod), (it) => disrupted(it, why, now)),
      );
    }
  }
}
