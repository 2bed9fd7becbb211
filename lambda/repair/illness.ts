import { type Duration, earliest, type Instant, later, latest } from "../base/time.ts";
import type { MachineNode, NodeCondition } from "../drain/node.ts";
import { isIllCondition, type Looks, reasonsOf } from "./ill-since.ts";
import { type RepairRule, ruleFor } from "./repair-policy.ts";

/** The illness of an instance, and its beginning. */
export interface Illness {
  /** A condition of the node such as `KernelReady`, or `NoNode`. */
  readonly condition: string;
  /** Empty without one. */
  readonly reason: string;
  readonly message: string;
  readonly since: Instant;
}

/** The illness of an instance, the repair for it, and when the repair is due. */
export interface Diagnosis {
  readonly illness: Illness;
  readonly due: Instant;
  readonly action: "reboot" | "replace";
}

/** Times that a diagnosis depends on. */
export interface Since extends Looks {
  /** When the instance came into service; `0` where nobody knows. */
  readonly entered: Instant;
}

/** The diagnosis of a node. Among several conditions and reasons, one that is due comes first, and then one that asks for a replacement. */
export function diagnosisOfNode(
  node: Pick<MachineNode, "annotations" | "conditions" | "created">,
  rules: readonly RepairRule[],
  since: Since,
): Diagnosis | "well" {
  const reasons = conditionsOf(node).flatMap((one) => reasonsOf(one, node, since));
  const found = reasons.flatMap((one) => tryDiagnosis(one, rules, since) ?? []);
  const due = found.filter((one) => one.due <= since.now);
  const replacing = due.filter(({ action }) => action === "replace");
  const [first = "well"] = [replacing, due, found].flatMap((some) => some.toSorted(byDue));
  return first;
}

const byDue = (a: Diagnosis, b: Diagnosis): number =>
  a.due - b.due || (a.illness.condition < b.illness.condition ? -1 : 1);

/** A node without a `Ready` condition counts as Unknown. */
const conditionsOf = ({
  conditions,
  created,
}: Pick<MachineNode, "conditions" | "created">): readonly NodeCondition[] =>
  conditions.some(({ type }) => type === "Ready")
    ? conditions
    : [...conditions, { ...unsaid, since: created }];

const unsaid = { type: "Ready", status: "Unknown", reason: "", message: "" } as const;

function tryDiagnosis(
  condition: NodeCondition,
  rules: readonly RepairRule[],
  since: Since,
): Diagnosis | undefined {
  const rule = isIllCondition(condition) ? ruleFor(rules, condition) : undefined;
  if (rule === undefined || rule.action === "none") return undefined;
  const { type, reason, message } = condition;
  const from = begunAt(condition.since, since);
  const illness = { condition: type, reason, message, since: from };
  return { illness, due: dueAfter(from, rule.wait, since), action: rule.action };
}

export function diagnosisWithoutNode(launched: Instant, wait: Duration, since: Since): Diagnosis {
  const from = begunAt(launched, since);
  const illness = { condition: "NoNode", reason: "", message: "", since: from };
  return { illness, due: dueAfter(from, wait, since), action: "replace" };
}

// A time in the future comes from a clock ahead of ours. Without a time, the condition may have begun just now.
const begunAt = (at: Instant, { now }: Since): Instant => (at > 0 ? earliest(at, now) : now);

const dueAfter = (from: Instant, wait: Duration, { entered }: Since): Instant =>
  later(latest(from, entered), wait);
