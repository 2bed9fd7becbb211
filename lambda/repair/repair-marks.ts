import { type Duration, type Instant, later, timestamp, tryInstantOf } from "../base/time.ts";
import { deadlineIn, isMarkedFor } from "../drain/cause.ts";
import { type Marking, markingFor, unchanged } from "../drain/marking.ts";
import type { MachineNode, Node, Taint } from "../drain/node.ts";
import { tryUnmarking, type Unmarking } from "../drain/unmarking.ts";
import { illSinceAnnotation } from "./ill-since.ts";
import { ill } from "./repair-reason.ts";

/** The stage of a reboot: `draining <boot id> <ISO 8601>`, then `asking …` and `rebooting …` in the same form. */
export const repairAnnotation = "eks-node-lifecycle/repair";

const stages = ["draining", "asking", "rebooting"] as const;

/** The stage of a node's reboot. */
export interface RebootMark {
  /**
   * `asking` is written before the call of EC2, and `rebooting` after it. A machine that stays at `asking` without a reboot
   * may never have got the call: it is repeated, and then `rebooting` is written first.
   */
  readonly stage: (typeof stages)[number];
  /** The boot id of the node before the reboot. */
  readonly bootId: string;
  readonly at: Instant;
}

/** The change of the node for a stage. The first stage also has the mark of the drain. */
export const rebootMarking = ({ stage, bootId, at }: RebootMark): Marking => ({
  ...unchanged,
  annotations: { [repairAnnotation]: rebootText({ stage, bootId, at }) },
});

const rebootText = ({ stage, bootId, at }: RebootMark): string =>
  `${stage} ${bootId} ${timestamp(at)}`;

/** The change of a node's `ill-since`; an empty text removes it. */
export const illSinceMarking = (text: string): Marking => ({
  ...unchanged,
  annotations: { [illSinceAnnotation]: text === "" ? null : text },
});

/** Whether the node still has this mark, and no other reboot has begun. */
export const isAt = ({ annotations }: Pick<Node, "annotations">, mark: RebootMark): boolean =>
  annotations[repairAnnotation] === rebootText(mark);

/** Reads the reboot mark of a node; `undefined` if it has none, or one of another form. */
export function tryRebootMark({ annotations }: Pick<Node, "annotations">): RebootMark | undefined {
  const [name, bootId = "", time = "", ...more] = annotations[repairAnnotation]?.split(" ") ?? [];
  const at = tryInstantOf(time);
  if (at === undefined || more.length > 0) return undefined;
  const stage = stages.find((one) => one === name);
  return stage === undefined ? undefined : { stage, bootId, at };
}

/** The parts of an ill node's mark. */
export interface IllMark {
  readonly taints: readonly Taint[];
  /** When the drain begins. */
  readonly begun: Instant;
  /** The time for which budgets are respected. */
  readonly timeout: Duration;
  readonly now: Instant;
}

/** Whether a node has the mark of a repair whose deadline has not passed. */
export function isMarkedUntil(node: MachineNode, now: Instant): boolean {
  return isMarkedFor(ill.reason, node) && deadlineIn(node) > now;
}

export const illMarking = (node: MachineNode, { taints, begun, timeout, now }: IllMark): Marking =>
  markingFor(node, {
    taints,
    cause: { reason: ill.reason, deadline: later(begun, timeout) },
    at: now,
  });

/** The first stage of a reboot. */
export const drainingMark = (
  { bootId }: Pick<MachineNode, "bootId">,
  { begun }: Pick<IllMark, "begun">,
): RebootMark => ({ stage: "draining", bootId, at: begun });

export function rebootingMarking(node: MachineNode, mark: IllMark): Marking {
  const ill = illMarking(node, mark);
  const { annotations } = rebootMarking(drainingMark(node, mark));
  return { ...ill, annotations: { ...ill.annotations, ...annotations } };
}

/** The change that removes all marks of repairs from a node; `undefined` if it has none. */
export function tryHealing(node: MachineNode, taints: readonly Taint[]): Unmarking | undefined {
  const unmarking = tryUnmarking(node, taints);
  if (!(repairAnnotation in node.annotations)) return unmarking;
  return {
    ...unchanged,
    ...unmarking,
    annotations: { ...unmarking?.annotations, ...withoutReboot },
  };
}

const withoutReboot = { [repairAnnotation]: null };
