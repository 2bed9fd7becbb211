import { type Instant, seconds } from "../../lambda/domain/time.ts";
import { controllerOf } from "../../sandbox/cluster/kube-object.ts";
import { mayBePutBack } from "./pod-facts.ts";
import type { KnownPod } from "./pod-history.ts";
import type { Case } from "./pod-request-rules.ts";
import { markedAt } from "./witnessed-drain.ts";

/** Its controller has put it onto the node over the mark, and would again. */
export const isPutBack = ({ pod, created }: KnownPod, marked: Instant): boolean =>
  mayBePutBack(pod) && created > marked;

/** Knows the controllers whose pods were let go, and which pods they have put back over the mark since. */
export class ReturnedPods {
  readonly #asked = new Set<string>();

  judge({ known, drain }: Case): string | undefined {
    const owner = `${drain.node} ${controllerOf(known.pod)?.uid}`;
    // Its age is told in whole seconds.
    const isYounger = markedAt(drain) > 0 && known.created > markedAt(drain) + seconds(1);
    const returned = isYounger && isPutBack(known, markedAt(drain)) && this.#asked.has(owner);
    this.#asked.add(owner);
    return returned ? "asked to go, though its controller had put it back" : undefined;
  }
}
