import type { PodUid } from "../base/ids.ts";
import type { Journal } from "../registrations/journal.port.ts";
import type { DrainView } from "./cluster.port.ts";
import { type Pod, type PodNote, podTitle } from "./pod.ts";
import { holdsNode, podClassOf, type Scene } from "./pod-class.ts";
import { tryProtectionOf } from "./protection.ts";
import { warningsOf } from "./warnings.ts";

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
    const fresh = view
      .pods()
      .filter((pod) => !this.#warned.has(pod.uid) && holdsNode(pod, this.#scene));
    for (const pod of fresh) {
      this.#warned.add(pod.uid);
      const warnings = warningsOf(pod, view.budgets());
      const about = podTitle(pod);
      if (warnings.length > 0) this.#journal.record({ kind: "warning", about, warnings });
    }
    const pods = fresh.flatMap((pod) => protectedNote(pod, this.#scene));
    const node = this.#scene.node.name;
    if (pods.length > 0) this.#journal.record({ kind: "pods-protected", node, pods });
  }
}

const protectedNote = (pod: Pod, scene: Scene): readonly PodNote[] =>
  podClassOf(pod, scene) === "protected"
    ? [{ pod: podTitle(pod), uid: pod.uid, why: `protected by ${tryProtectionOf(pod, scene)}` }]
    : [];
