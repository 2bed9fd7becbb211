import { holdsNode, type Scene } from "../../domain/drain/pod-class.ts";
import { warningsOf } from "../../domain/drain/warnings.ts";
import type { PodUid } from "../../domain/ids.ts";
import { podTitle } from "../../domain/pod/pod.ts";
import type { DrainView } from "../../ports/cluster.ts";
import type { Journal } from "../../ports/journal.ts";

/** The pods that are on a node now, and the budgets of the cluster. */
export type DrainedPods = Pick<DrainView, "budgets" | "pods">;

/** Warns of the pods that hold a node, once for each pod. */
export class PodWarnings {
  readonly #scene: Scene;
  readonly #journal: Journal;
  readonly #warned = new Set<PodUid>();

  constructor(scene: Scene, journal: Journal) {
    this.#scene = scene;
    this.#journal = journal;
  }

  /** Warns of the pods that were not there the last time. */
  warn(view: DrainedPods): void {
    for (const pod of view.pods()) {
      if (this.#warned.has(pod.uid) || !holdsNode(pod, this.#scene)) continue;
      this.#warned.add(pod.uid);
      const warnings = warningsOf(pod, view.budgets());
      const about = podTitle(pod);
      if (warnings.length > 0) this.#journal.record({ kind: "warning", about, warnings });
    }
  }
}
