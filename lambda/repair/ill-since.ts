import {
  type Duration,
  earliest,
  type Instant,
  instant,
  later,
  milliseconds,
  minutes,
  timestamp,
  tryInstantOf,
} from "../base/time.ts";
import type { Node, NodeCondition } from "../drain/node.ts";
import { agentConditions, asksForRepair, type RepairRule } from "./repair-policy.ts";

/**
 * The reasons that the agent's conditions of a node have had, and when a pass first saw each: three words a reason, such as
 * `KernelReady ForkFailedOutOfPIDs 2026-11-20T10:00:00.000Z`, and a comma between two reasons.
 *
 * The node monitoring agent takes no condition back, and several faults share one: it has the newest reason, and the time
 * of the oldest fault.
 * @see https://github.com/aws/eks-node-monitoring-agent/blob/v1.7.0/pkg/manager/node_exporter.go
 */
export const illSinceAnnotation = "eks-node-lifecycle/ill-since";

/** A reason of a condition, and when a pass first saw it there. */
interface SeenReason {
  readonly type: string;
  readonly reason: string;
  readonly at: Instant;
}

/** The time of a pass, and the interval of the passes. */
export interface Looks {
  readonly now: Instant;
  /** The interval of the schedule. */
  readonly every: Duration;
}

/** `KernelReady` is wrong when it is False, and `KernelDeadlock` when it is True. Only `Ready` becomes Unknown by itself. */
export function isIllCondition({ type, status }: Pick<NodeCondition, "status" | "type">): boolean {
  if (type === "Ready") return status !== "True";
  return status === (type.endsWith("Ready") ? "False" : "True");
}

/**
 * Splits a condition into one for each reason that it has had since its last change of status. Each begins when a pass
 * first saw its reason. The first one begins with the condition itself if a pass saw it soon after that, so that there was
 * hardly another reason before.
 */
export function reasonsOf(
  condition: NodeCondition,
  node: Pick<Node, "annotations">,
  looks: Looks,
): readonly NodeCondition[] {
  if (!isTraced(condition)) return [condition];
  const [first, ...others] = seenOf(condition, node, looks.now);
  if (first === undefined) return [condition];
  const since = isSeenSoon(first, condition, looks) ? condition.since : first.at;
  return [{ ...first, at: since }, ...others].map(({ reason, at }) => ({
    ...condition,
    reason: reason === word(condition.reason) ? condition.reason : reason,
    since: earliest(at, looks.now),
  }));
}

/** Only the agent's conditions need the trace: the time of all others is that of their present reason. */
const isTraced = (condition: NodeCondition): boolean =>
  agentConditions.includes(condition.type) && isIllCondition(condition);

// A pass may fail, or come late.
const isSeenSoon = (
  { at }: SeenReason,
  { since }: NodeCondition,
  { every }: Pick<Looks, "every">,
): boolean => since > 0 && at <= later(since, milliseconds(2 * every));

// The clocks of the processes differ a little.
const askew = minutes(1);

/** The reasons of a condition in the order in which passes first saw them. The present one may be new. */
function seenOf(
  condition: NodeCondition,
  node: Pick<Node, "annotations">,
  now: Instant,
): readonly SeenReason[] {
  const present = { type: condition.type, reason: word(condition.reason), at: now };
  const seen = seenIn(node).filter(
    ({ type, at }) => type === present.type && at >= condition.since && at <= later(now, askew),
  );
  const isKnown = seen.some(({ reason }) => reason === present.reason);
  return (isKnown ? seen : [...seen, present]).toSorted(bySight);
}

const bySight = (a: SeenReason, b: SeenReason): number =>
  a.at - b.at || (textOf(a) < textOf(b) ? -1 : 1);

// With this many of the longest words the annotation has 4 kB.
const most = 16;
const longest = 100;
const unsaid = "-";

/** A text of others as one word of the annotation. */
const word = (text: string): string =>
  text.replace(/[^\w.:/+@-]+/g, "_").slice(0, longest) || unsaid;

const textOf = ({ type, reason, at }: SeenReason): string => `${type} ${reason} ${timestamp(at)}`;

/** The reasons in the annotation. A text that cannot be read counts as none. */
function seenIn({ annotations }: Pick<Node, "annotations">): readonly SeenReason[] {
  const parts = (annotations[illSinceAnnotation] ?? "").split(", ", most);
  return parts.flatMap((part) => {
    const [type = "", reason = "", time = "", ...more] = part.split(" ", 4);
    const at = tryInstantOf(time) ?? instant(0);
    return at > 0 && more.length === 0 && type === word(type) && reason === word(reason)
      ? [{ type, reason, at }]
      : [];
  });
}

/** The annotation of a node after this pass; empty for none. If there are too many reasons, those that ask for a repair stay. */
export function illSinceOf(
  node: Pick<Node, "annotations"> & { readonly conditions: readonly NodeCondition[] },
  rules: readonly RepairRule[],
  now: Instant,
): string {
  const rank = (seen: SeenReason): number => (asksForRepair(rules, seen) ? 0 : 1);
  return node.conditions
    .filter(isTraced)
    .flatMap((one) => seenOf(one, node, now))
    .toSorted((a, b) => rank(a) - rank(b) || bySight(a, b))
    .slice(0, most)
    .toSorted(bySight)
    .map(textOf)
    .join(", ");
}
