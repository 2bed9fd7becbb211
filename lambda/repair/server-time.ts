import {
  between,
  type Duration,
  earliest,
  type Instant,
  later,
  longest,
  milliseconds,
  minutes,
} from "../base/time.ts";
import type { MachineNode, NodeCondition } from "../drain/node.ts";

// The kubelet's `nodeStatusReportFrequency`: https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/
const reportsWithin = minutes(5);

/**
 * A node whose clock is behind, with its conditions dated in the time of the servers: by that clock, an illness would have
 * lasted for long as soon as it begins.
 */
export function inServerTime(node: MachineNode, now: Instant): MachineNode {
  const lag = lagOf(node, now);
  const dated = (one: NodeCondition): NodeCondition =>
    isDatedThere(one) ? { ...one, since: earliest(later(one.since, lag), now) } : one;
  return lag > 0 ? { ...node, conditions: node.conditions.map(dated) } : node;
}

/**
 * The least lag of a node's clock. A node has reported until now, or until it has become
 * unreachable.
 */
function lagOf({ reported, conditions }: MachineNode, now: Instant): Duration {
  const unreachable = conditions.find(isUnreachable);
  const lag = between(later(reported, reportsWithin), unreachable?.since ?? now);
  return reported > 0 ? longest(lag, milliseconds(0)) : milliseconds(0);
}

const isUnreachable = ({ type, status }: NodeCondition): boolean =>
  type === "Ready" && status === "Unknown";

/** The control plane dates what it no longer knows. */
const isDatedThere = ({ status, since }: NodeCondition): boolean =>
  status !== "Unknown" && since > 0;
