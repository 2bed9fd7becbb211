import { never } from "../base/time.ts";
import { deadlineAnnotation, isMarkedFor, reasonAnnotation } from "./cause.ts";
import { leaseAnnotation } from "./eviction-lease.ts";
import {
  awaitedVolumesAnnotation,
  cordonedAnnotation,
  drainedAtAnnotation,
  emptiedAtAnnotation,
  exclusionLabel,
  lateSinceAnnotation,
  type Marking,
  markedAtAnnotation,
  ownMark,
  replacedLabelAnnotation,
  tightening,
  tryReplaced,
} from "./marking.ts";
import type { Node, Taint } from "./node.ts";
import { isSameTaint } from "./own-taint.ts";
import { type Reason, type Reasons, tryKeeping } from "./reason.ts";

/** The changes to a node that remove our mark. */
export interface Unmarking {
  /** `null` removes a key. */
  readonly labels: Readonly<Record<string, string | null>>;
  readonly annotations: Readonly<Record<string, null>>;
  readonly unschedulable: false | "as it is";
  readonly taints: readonly Taint[] | "as they are";
}

const ownAnnotations = [
  markedAtAnnotation,
  cordonedAnnotation,
  emptiedAtAnnotation,
  awaitedVolumesAnnotation,
  drainedAtAnnotation,
  replacedLabelAnnotation,
  reasonAnnotation,
  deadlineAnnotation,
  lateSinceAnnotation,
  leaseAnnotation,
];

/** The part of a node's mark that is ours to remove; `undefined` when we have not marked it. */
export function tryUnmarking(node: Node, taints: readonly Taint[]): Unmarking | undefined {
  if (node.annotations[markedAtAnnotation] === undefined) return undefined;
  const foreign = node.taints.filter((taint) => !taints.some((own) => isSameTaint(own, taint)));
  return {
    labels:
      node.labels[exclusionLabel] === ownMark
        ? { [exclusionLabel]: tryReplaced(node) ?? null }
        : {},
    annotations: Object.fromEntries(
      ownAnnotations.filter((key) => key in node.annotations).map((key) => [key, null]),
    ),
    unschedulable: cordonedAnnotation in node.annotations ? false : "as it is",
    taints: foreign.length === node.taints.length ? "as they are" : foreign,
  };
}

/**
 * The change that removes a drain's mark, or turns it into the mark of work that keeps the node;
 * `undefined` where there is none.
 */
export function tryOpening(
  node: Node,
  taints: readonly Taint[],
  reasons: Reasons,
): Marking | Unmarking | undefined {
  const reason = tryHeir(node, reasons);
  // The next pass of that work writes the deadline.
  return reason === undefined
    ? tryUnmarking(node, taints)
    : tightening({ reason, deadline: never });
}

/** The reason that the mark of another drain has from its end on: of work that drains the node too, and opens it. */
export function tryHeir(node: Node, reasons: Reasons): Reason | undefined {
  const reason = markedAtAnnotation in node.annotations ? tryKeeping(node, reasons) : undefined;
  return reason === undefined || isMarkedFor(reason, node) ? undefined : reason;
}
