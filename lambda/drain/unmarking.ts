import { never } from "../base/time.ts";
import { deadlineAnnotation, reasonAnnotation, tryCause } from "./cause.ts";
import { drainTurnAnnotation } from "./drain-turn.ts";
import { hasTurn } from "./group-work-turn.ts";
import {
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
} from "./marking.ts";
import type { Node, Taint } from "./node.ts";
import { isSameTaint } from "./own-taint.ts";

/** What to write to a node to remove our mark. */
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
  drainedAtAnnotation,
  replacedLabelAnnotation,
  reasonAnnotation,
  deadlineAnnotation,
  lateSinceAnnotation,
  drainTurnAnnotation,
];

/** The part of a node's mark that is ours to remove; `undefined` when we have not marked it. */
export function tryUnmarking(node: Node, taints: readonly Taint[]): Unmarking | undefined {
  if (node.annotations[markedAtAnnotation] === undefined) return undefined;
  const foreign = node.taints.filter((taint) => !taints.some((own) => isSameTaint(own, taint)));
  return {
    labels:
      node.labels[exclusionLabel] === ownMark
        ? { [exclusionLabel]: node.annotations[replacedLabelAnnotation] ?? null }
        : {},
    annotations: Object.fromEntries(
      ownAnnotations.filter((key) => key in node.annotations).map((key) => [key, null]),
    ),
    unschedulable: cordonedAnnotation in node.annotations ? false : "as it is",
    taints: foreign.length === node.taints.length ? "as they are" : foreign,
  };
}

/** What takes a drain's mark off a node, or makes it the mark of an upgrade; `undefined` where there is none. */
export const tryOpening = (
  node: Node,
  taints: readonly Taint[],
): Marking | Unmarking | undefined =>
  passesToUpgrade(node) ? tightening(upgradesCause) : tryUnmarking(node, taints);

/** Whether the mark of another drain is an upgrade's from its end on: the upgrade drains the node too, and opens it. */
export const passesToUpgrade = (node: Node): boolean =>
  markedAtAnnotation in node.annotations && hasTurn(node) && tryCause(node)?.reason !== "upgraded";

// The next pass of the upgrade writes the deadline.
const upgradesCause = { reason: "upgraded", deadline: never } as const;
