import { holdsNode, type Scene, staysWithNode } from "../../domain/drain/pod-class.ts";
import type { PodUid } from "../../domain/ids.ts";
import { takesVolumes } from "../../domain/node/attachment.ts";
import { type Pod, podTitle } from "../../domain/pod/pod.ts";
import type { Journal } from "../../ports/journal.ts";
import { type DrainedPods, podWarnings } from "./pod-warnings.ts";

/** Tells which pods a node had and when each was gone. */
export interface PodStory {
  /** Compares the pods with those told of before. */
  tell(view: DrainedPods): void;
  /** Whether a pod that held the node has gone. */
  progressed(): boolean;
  /** Whether a pod that is gone, or goes, may have had volumes; pods may have left before the story began. */
  hadVolumes(): boolean;
}

/** Starts the story of a node with the pods that are on it now. */
export function podStoryOf(first: DrainedPods, scene: Scene, journal: Journal): PodStory {
  const pods = first.pods();
  const node = scene.node.name;
  const held = pods.filter((pod) => holdsNode(pod, scene));
  const skipped = pods.filter((pod) => !held.includes(pod));
  let watched = byUid(held);
  let progressed = false;
  // Nobody knows who has left the node just before.
  let hadVolumes =
    takesVolumes(scene.node) ||
    held.length === 0 ||
    skipped.some((pod) => hasClaims(pod) && !staysWithNode(pod, scene));
  journal.record({
    kind: "pods-seen",
    node,
    holding: held.map(podTitle),
    skipped: skipped.map(podTitle),
  });
  const warn = podWarnings(scene, journal);
  warn(first);
  return {
    tell(view) {
      warn(view);
      const pods = view.pods();
      const present = byUid(pods);
      for (const pod of watched.values()) {
        if (present.has(pod.uid)) continue;
        progressed = true;
        journal.record({ kind: "pod-gone", pod: podTitle(pod), node });
      }
      watched = byUid(pods.filter((pod) => !skipped.some(({ uid }) => uid === pod.uid)));
      hadVolumes ||= [...watched.values()].some(hasClaims);
    },
    progressed: () => progressed,
    hadVolumes: () => hadVolumes,
  };
}

const hasClaims = ({ claims }: Pod): boolean => claims.length > 0;

const byUid = (pods: readonly Pod[]): ReadonlyMap<PodUid, Pod> =>
  new Map(pods.map((pod) => [pod.uid, pod]));
