import { type Instant, seconds } from "../../lambda/base/time.ts";
import { controllerOf } from "../../sandbox/kubernetes/kube-object.ts";
import { mayBePutBack } from "./pod-facts.ts";
import type { KnownPod } from "./pod-history.ts";
import type { Case } from "./pod-request-rules.ts";

/**
 * Whether a pod's controller has created it on the node despite the mark, and would do so again.
 */
export const isPutBack = ({ pod, created }: KnownPod, marked: Instant): boolean =>
  mayBePutBack(pod) && created > marked;

/**
 * Remembers the controllers whose pods the drain evicted, and finds the pods that they put back
 * since.
 */
export class ReturnedPods {
  readonly #asked = new Set<string>();

  judge({ known, drain }: Case): string | undefined {
    const owner = `${drain.node} ${controllerOf(known.pod)?.uid}`;
    const marked = drain.mark.set;
    // Kubernetes states a pod's age in whole seconds.
    const isYounger = marked > 0 && known.created > marked + seconds(1);
    const returned = isYounger && isPutBack(known, marked) && this.#asked.has(owner);
    this.#asked.add(owner);
    return returned ? "asked to go, though its controller had put it back" : undefined;
  }
}
