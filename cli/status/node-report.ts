import { between, type Instant, never, timestamp, wholeSeconds } from "../../lambda/base/time.ts";
import { tryCause } from "../../lambda/drain/cause.ts";
import { tracesOn } from "../../lambda/drain/maintenance-trace.ts";
import { lateSinceAnnotation, markedAtAnnotation } from "../../lambda/drain/marking.ts";
import type { Node } from "../../lambda/drain/node.ts";
import type { LeftPod, MarkedNode } from "./status-schema.ts";

/** What the mark of a node tells, with the pods that are left on it. */
export function nodeReport(node: Node, pods: readonly LeftPod[], now: Instant): MarkedNode {
  const { reason = "", deadline = never } = tryCause(node) ?? {};
  return {
    node: node.name,
    readiness: node.readiness,
    cause: reason,
    markedAt: node.annotations[markedAtAnnotation] ?? "",
    lateSince: node.annotations[lateSinceAnnotation] ?? "",
    deadline: deadline === never ? "" : timestamp(deadline),
    secondsLeft: deadline === never ? null : wholeSeconds(between(now, deadline)),
    plannedWork: plannedWork(node),
    pods,
    volumes: node.volumes,
  };
}

/** The work that AWS plans on the host of a node, and has not called off. */
const plannedWork = (node: Node): MarkedNode["plannedWork"] =>
  tracesOn(node)
    .filter(({ startTime }) => startTime !== never)
    .map(({ event, startTime }) => ({ event, startTime: timestamp(startTime) }));

/** Whether a node is of interest though no hook holds its instance: it has our mark, or AWS plans work on its host. */
export const isMarked = (node: Node): boolean =>
  node.annotations[markedAtAnnotation] !== undefined || plannedWork(node).length > 0;
