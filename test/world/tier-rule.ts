import { graceOf, isCritical, titleOf } from "./pod-facts.ts";
import type { Case } from "./pod-request-rules.ts";
import { isPast } from "./witnessed-drain.ts";
import type { WitnessedDrains } from "./witnessed-drains.ts";

/**
 * The drain may evict a critical pod only if no ordinary pod is left, or if the ordinary pods'
 * share of the time is over, or if the pod's grace no longer fits.
 */
export function tierRule({ request, known: { pod }, drain }: Case, drains: WitnessedDrains) {
  const marked = drain.mark.set;
  const turn = marked + (drain.deadline - marked) * 0.75 - 1;
  const waits = isCritical(pod) && request.at < turn && !isPast(graceOf(pod), drain, request.at);
  const ordinary = waits ? drains.holding(drain).find((other) => !isCritical(other)) : undefined;
  return ordinary && `asked to go, though it is critical and ${titleOf(ordinary)} was still there`;
}
