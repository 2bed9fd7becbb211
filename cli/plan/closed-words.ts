import { inSeconds } from "../../lambda/base/time.ts";
import { tryCause } from "../../lambda/drain/cause.ts";
import { isCordonedByOthers, markedAtAnnotation } from "../../lambda/drain/marking.ts";
import type { Node } from "../../lambda/drain/node.ts";
import { drainReasons } from "../../lambda/drain-reasons.ts";

/** Why no new pod comes to a node even before it is drained, and since when; empty if it is open. */
export function closedWords(node: Node): string {
  if (!node.unschedulable) return "";
  const markedAt = node.annotations[markedAtAnnotation];
  const mark =
    markedAt === undefined
      ? []
      : [
          `marked at ${inSeconds(markedAt)}: ${tryCause(node, drainReasons)?.reason ?? "no reason is given"}`,
        ];
  const others = isCordonedByOthers(node, drainReasons) ? ["cordoned by others"] : [];
  return [...mark, ...others].join(", ") || "cordoned by an upgrade";
}
