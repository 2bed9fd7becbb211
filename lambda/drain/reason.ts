import { type Duration, hours } from "../base/time.ts";
import type { Annotated } from "./node.ts";

/** The name of a reason for a drain, as a mark has it. */
export type Reason = string;

/** Work on many nodes that cordons them itself, drains them in its own order, and opens them again. */
export interface Opener {
  /** The name of its marks in the journal. */
  readonly called: string;
  /** Present on a node that the work has cordoned itself. */
  readonly cordonAnnotation: string;
  /** Whether the work drains a node or has drained it, so that the node stays closed after another drain. */
  keeps(node: Annotated): boolean;
}

/** The meaning of a reason for a drain. A subject hands in a row for each of its reasons. */
export interface ReasonRow {
  readonly reason: Reason;
  /** The fate of the instance after the drain. */
  readonly instance: "ends" | "stays";
  /** The share of a pod's grace that counts against its budget. */
  readonly budgetGrace: Duration;
  /** `cut` where a node has less time than pods often ask for, so that graces are cut from the beginning. */
  readonly graces: "cut" | "whole";
  /** `prolongs` where its deadline counts for the drain of a hook even if it is later. */
  readonly deadline: "nearest" | "prolongs";
  /** Who opens the node again. The mark of such work stands over no other, and its deadline ends no other drain. */
  readonly opener: Opener | "drain";
}

/** The reasons that a drain knows; a mark that has any other tells no cause. */
export type Reasons = readonly ReasonRow[];

/** Longer than any drain. */
export const everyGrace = hours(1000);

/** A reason, and how it differs from that of a terminate hook. */
export const reasonRow = (
  reason: Reason,
  difference: Partial<Omit<ReasonRow, "reason">> = {},
): ReasonRow => ({
  reason,
  instance: "ends",
  budgetGrace: everyGrace,
  graces: "whole",
  deadline: "nearest",
  opener: "drain",
  ...difference,
});

/** The reason of drains under a terminate hook. */
export const terminating = reasonRow("terminating");

/** The reason of drains that a person asks for. */
export const requested = reasonRow("requested", { instance: "stays" });

/** The row of a reason; an unknown reason is treated as a terminate hook. */
export const rowOf = (reason: Reason, reasons: Reasons): ReasonRow =>
  reasons.find((row) => row.reason === reason) ?? terminating;

/** The work that opens nodes which are drained for this reason; `undefined` where the drain itself does. */
export function tryOpenerFor(reason: Reason, reasons: Reasons): Opener | undefined {
  const { opener } = rowOf(reason, reasons);
  return opener === "drain" ? undefined : opener;
}

/** The reason of the work that keeps a node closed after another drain; `undefined` where none does. */
export const tryKeeping = (node: Annotated, reasons: Reasons): Reason | undefined =>
  reasons.find(({ opener }) => opener !== "drain" && opener.keeps(node))?.reason;
