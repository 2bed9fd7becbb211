import type { NodeName, PodUid } from "../base/ids.ts";
import { type Instant, timestamp } from "../base/time.ts";
import type { Journal } from "../notice/journal.port.ts";
import type { DrainView } from "./drain.port.ts";
import type { DrainEntry } from "./drain-entry.ts";
import { type Pod, type PodNote, podTitle } from "./pod.ts";
import { holdsNode, isCritical, podClassOf, type Scene } from "./pod-class.ts";
import { tryProtectionOf } from "./protection.ts";
import { warningsOf } from "./warnings.ts";

/** Tells the journal which pods a node had, and when each was gone. */
export class PodLog {
  readonly #node: NodeName;
  readonly #journal: Journal<DrainEntry>;
  readonly #scene: Scene;
  readonly #warnings: PodWarnings;
  #skipped: readonly Pod[] = [];
  #watched: readonly Pod[] = [];
  #seen: readonly Pod[] = [];
  #progressed = false;

  constructor(scene: Scene, journal: Journal<DrainEntry>) {
    this.#node = scene.node.name;
    this.#journal = journal;
    this.#scene = scene;
    this.#warnings = new PodWarnings(scene, journal);
  }

  /** Records which pods there are at the start. */
  begin(view: DrainedPods, deadline: Instant): void {
    const pods = view.pods();
    this.#watched = pods.filter((pod) => holdsNode(pod, this.#scene));
    this.#skipped = pods.filter((pod) => !this.#watched.includes(pod));
    this.#journal.record({
      kind: "pods-seen",
      node: this.#node,
      holding: this.#watched.map(podTitle),
      critical: this.#watched.filter(isCritical).map(podTitle),
      skipped: this.#skipped.map(podTitle),
      deadline: timestamp(deadline),
    });
    this.#warnings.warn(view);
  }

  /** Records what has changed since the last time. */
  tell(view: DrainedPods): void {
    const pods = view.pods();
    if (pods === this.#seen) return; // most wakes bring an answer, and no change of a pod
    this.#seen = pods;
    this.#warnings.warn(view);
    this.#tellGone(pods);
    const skipped = uidsOf(this.#skipped);
    this.#watched = pods.filter(({ uid }) => !skipped.has(uid));
  }

  /** Whether a pod that held the node has gone. */
  progressed(): boolean {
    return this.#progressed;
  }

  #tellGone(pods: readonly Pod[]): void {
    const present = uidsOf(pods);
    for (const pod of this.#watched) {
      if (present.has(pod.uid)) continue;
      this.#progressed = true;
      this.#journal.record({ kind: "pod-gone", pod: podTitle(pod), node: this.#node });
    }
  }
}

const uidsOf = (pods: readonly Pod[]): ReadonlySet<PodUid> => new Set(pods.map(({ uid }) => uid));

/** The pods that are on a node now, and the budgets of the cluster. */
type DrainedPods = Pick<DrainView, "budgets" | "pods">;

/** Warns of the pods that hold a node, once for each pod. */
class PodWarnings {
  readonly #scene: Scene;
  readonly #journal: Journal<DrainEntry>;
  readonly #warned = new Set<PodUid>();

  constructor(scene: Scene, journal: Journal<DrainEntry>) {
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
