import { holdsNode, type Scene } from "../../domain/drain/pod-class.ts";
import { warningsOf } from "../../domain/drain/warnings.ts";
import type { PodUid } from "../../domain/ids.ts";
import { podTitle } from "../../domain/pod/pod.ts";
import type { DrainView } from "../../ports/cluster.ts";
import type { Journal } from "../../ports/journal.ts";

/** What is on the node now, and what its budgets say. */
export type DrainedPods = Pick<DrainView, "budgets" | "pods">;

/** Warns once of each pod that holds the node, whenever it is first seen. */
export function podWarnings(scene: Scene, journal: Journal): (view: DrainedPods) => void {
  const warned = new Set<PodUid>();
  return ({ pods, budgets }) => {
    const strangers = pods().filter((pod) => !warned.has(pod.uid) && holdsNode(pod, scene));
    for (const pod of strangers) {
      warned.add(pod.uid);
      const warnings = warningsOf(pod, budgets());
      if (warnings.length > 0) journal.record({ kind: "warning", about: podTitle(pod), warnings });
    }
  };
}
