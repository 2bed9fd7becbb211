import { type Duration, type Instant, later, timestamp, tryInstantOf } from "../base/time.ts";
import { tryCause } from "../drain/cause.ts";
import { type Marking, markingFor, unchanged } from "../drain/marking.ts";
import type { MachineNode, Node, Taint } from "../drain/node.ts";
import { tryUnmarking, type Unmarking } from "../drain/unmarking.ts";

/** How far the reboot of a node is: `draining <boot id> <ISO 8601>`, then `asking …` and `rebooting …` in the same form. */
export const repairAnnotation = "eks-node-lifecycle/repair";

const stages = ["draining", "asking", "rebooting"] as const;

/** How far the reboot of a node is. */
export interface RebootMark {
  /**
   * `asking` is written before the machine is told to reboot, and `rebooting` once it has been told. A machine that does not
   * reboot after `asking` may never have been told: it is told once more, and `rebooting` is written before that.
   */
  readonly stage: (typeof stages)[number];
  /** What the node's boot id was before. */
  readonly bootId: string;
  /** When the stage began. */
  readonly at: Instant;
}

/** What to write to a node at each stage; at the first, this comes besides the mark of its drain. */
export const rebootMarking = ({ stage, bootId, at }: RebootMark): Marking => ({
  ...unchanged,
  annotations: { [repairAnnotation]: rebootText({ stage, bootId, at }) },
});

const rebootText = ({ stage, bootId, at }: RebootMark): string =>
  `${stage} ${bootId} ${timestamp(at)}`;

/** Whether the reboot of a node is as far as this, and no other has begun. */
export const isAt = ({ annotations }: Pick<Node, "annotations">, mark: RebootMark): boolean =>
  annotations[repairAnnotation] === rebootText(mark);

/** Reads how far the reboot of a node is; `undefined` when it is not rebooted. */
export function tryRebootMark({ annotations }: Pick<Node, "annotations">): RebootMark | undefined {
  const [name, bootId, time, ...more] = annotations[repairAnnotation]?.split(" ") ?? [];
  const at = tryInstantOf(time ?? "");
  if (bootId === undefined || at === undefined || more.length > 0) return undefined;
  const stage = stages.find((one) => one === name);
  return stage === undefined ? undefined : { stage, bootId, at };
}

/** How the mark of an ill node is made. */
export interface IllMark {
  readonly taints: readonly Taint[];
  /** When the drain begins. */
  readonly begun: Instant;
  /** How long budgets are kept. */
  readonly timeout: Duration;
  readonly now: Instant;
}

/** Whether a node has the mark of a repair whose deadline is yet to come. */
export function isMarkedUntil(node: MachineNode, now: Instant): boolean {
  const cause = tryCause(node);
  return cause?.reason === "ill" && cause.deadline > now;
}

/** The mark of an ill node. */
export const illMarking = (node: MachineNode, { taints, begun, timeout, now }: IllMark): Marking =>
  markingFor(node, { taints, cause: { reason: "ill", deadline: later(begun, timeout) }, at: now });

/** How a reboot begins. */
export const drainingMark = (
  { bootId }: Pick<MachineNode, "bootId">,
  { begun }: Pick<IllMark, "begun">,
): RebootMark => ({ stage: "draining", bootId, at: begun });

/** The mark of an ill node that is drained for a reboot. */
export function rebootingMarking(node: MachineNode, mark: IllMark): Marking {
  const ill = illMarking(node, mark);
  const { annotations } = rebootMarking(drainingMark(node, mark));
  return { ...ill, annotations: { ...ill.annotations, ...annotations } };
}

/** What takes every trace of a repair off a node; `undefined` when it has none. */
export function tryHealing(node: MachineNode, taints: readonly Taint[]): Unmarking | undefined {
  const unmarking = tryUnmarking(node, taints);
  if (tryRebootMark(node) === undefined) return unmarking;
  return {
    ...unchanged,
    ...unmarking,
    annotations: { ...unmarking?.annotations, ...withoutReboot },
  };
}

const withoutReboot = { [repairAnnotation]: null };
