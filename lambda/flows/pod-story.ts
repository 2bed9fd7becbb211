import type { PodUid } from "../domain/ids.ts";
import type { Node } from "../domain/node.ts";
import { type Pod, podTitle } from "../domain/pod.ts";
import { holdsNode } from "../domain/pod-class.ts";
import type { Journal } from "../ports.ts";

/** Tells which pods a node had and when each was gone. */
export interface PodStory {
  /** Compares the pods with those told of before. */
  tell(pods: readonly Pod[]): void;
  /** Whether a pod that held the node has gone. */
  progressed(): boolean;
}

/** Starts the story of a node with the pods that are on it now. */
export function podStoryOf(node: Node, first: readonly Pod[], journal: Journal): PodStory {
  let present = holders(first);
  let progressed = false;
  journal.record({
    kind: "pods-seen",
    node: node.name,
    holding: first.filter(holdsNode).map(podTitle),
    skipped: first.filter((pod) => !holdsNode(pod)).map(podTitle),
  });
  return {
    tell(pods) {
      const remaining = holders(pods);
      for (const [uid, pod] of present) {
        if (remaining.has(uid)) continue;
        progressed = true;
        journal.record({ kind: "pod-gone", pod: podTitle(pod), node: node.name });
      }
      present = remaining;
    },
    progressed: () => progressed,
  };
}

const holders = (pods: readonly Pod[]): ReadonlyMap<PodUid, Pod> =>
  new Map(pods.filter(holdsNode).map((pod) => [pod.uid, pod]));
