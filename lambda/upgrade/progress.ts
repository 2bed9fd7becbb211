import { type Instant, tryInstantOf } from "../base/time.ts";
import { markedAtAnnotation, tryWrittenAt } from "../drain/marking.ts";
import type { MachineNode, Node } from "../drain/node.ts";
import { blockedAnnotation, turnAnnotation } from "../drain/upgrade-turn.ts";
import type { Candidate } from "./order.ts";
import { ownValue, upgradeAnnotations } from "./upgrade-annotations.ts";

/** A node's turn to be drained: a node that is blocked in its first one gets a second, after all others. */
export interface Turn {
  readonly number: number;
  readonly begun: Instant;
}

/** How far an old node is. */
export type Progress =
  | { readonly kind: "untouched" }
  | { readonly kind: "draining"; readonly turn: Turn }
  | { readonly kind: "drained"; readonly at: Instant }
  /** Its pods did not leave in time; what was left, in words. */
  | { readonly kind: "blocked"; readonly turn: Turn; readonly left: string };

/** Says how far an old node is in an upgrade; what the marks of another upgrade say does not count. */
export function progressOf(node: Node, id: string): Progress {
  const turn = tryTurn(node, id);
  if (turn === undefined) return { kind: "untouched" };
  const blocked = ownValue(node, blockedAnnotation, id);
  const { number, left } = numbered(blocked ?? "");
  if (number === turn.number) return { kind: "blocked", turn, left };
  const at = tryDrainedAt(node, turn, id);
  return at === undefined ? { kind: "draining", turn } : { kind: "drained", at };
}

/** When this turn of a node has ended; a node that was marked anew since has to be drained anew. */
function tryDrainedAt(node: Node, turn: Turn, id: string): Instant | undefined {
  const { number, left } = numbered(ownValue(node, upgradeAnnotations.drained, id) ?? "");
  const at = tryInstantOf(left);
  const marked = tryWrittenAt(node, markedAtAnnotation);
  if (number !== turn.number || at === undefined || marked === undefined) return undefined;
  return marked <= at ? at : undefined;
}

function tryTurn(node: Node, id: string): Turn | undefined {
  const { number, left } = numbered(ownValue(node, turnAnnotation, id) ?? "");
  const begun = tryInstantOf(left);
  return number === 0 || begun === undefined ? undefined : { number, begun };
}

function numbered(text: string): { readonly number: number; readonly left: string } {
  const [, number = "0", left = ""] = /^(\d{1,3}) (.*)$/s.exec(text) ?? [];
  return { number: Number(number), left };
}

/** An old instance, and how far its turns are. */
export interface Placed {
  readonly candidate: Candidate;
  readonly progress: Progress;
}

/** The nodes that are so far. */
export const nodesAt = (
  placed: readonly Placed[],
  kind: Progress["kind"],
): readonly MachineNode[] =>
  placed.flatMap(({ candidate: { node }, progress }) =>
    node !== "absent" && progress.kind === kind ? [node] : [],
  );
