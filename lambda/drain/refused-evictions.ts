import { lastingRefusals } from "./eviction.ts";
import { firstHalfEnds } from "./overdue.ts";
import { type Pod, podTitle } from "./pod.ts";
import { holdsNode } from "./pod-class.ts";
import type { Snapshot } from "./snapshot.ts";

/**
 * Lines about the pods whose evictions are refused for no budget, once half of the drain is over. An operator that
 * refuses them because it moves the pods itself has had that time.
 */
export const refusedEvictions = (snapshot: Snapshot): readonly string[] =>
  snapshot.now < firstHalfEnds(snapshot)
    ? []
    : snapshot.pods
        .filter((pod) => pod.termination.kind === "active" && holdsNode(pod, snapshot))
        .flatMap((pod) => lineOf(pod, snapshot));

const unasked = { answer: { kind: "unasked" }, verb: "none" } as const;

function lineOf(pod: Pod, { ledger }: Pick<Snapshot, "ledger">): readonly string[] {
  const { answer, verb } = ledger.attempts.get(pod.uid) ?? unasked;
  const asked = verb === "delete" ? "deletion" : "eviction";
  return lastingRefusals.includes(answer.kind) && "message" in answer
    ? [`${podTitle(pod)}: its ${asked} is refused still (${answer.kind}): ${answer.message}`]
    : [];
}
