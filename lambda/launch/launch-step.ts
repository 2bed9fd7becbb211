import type { InstanceId } from "../base/ids.ts";
import type { Instant } from "../base/time.ts";
import type { Node } from "../drain/node.ts";
import type { ActionResult } from "../notice/lifecycle-action.ts";
import type { Outcome } from "../notice/outcome.ts";

/** A launch as it looks now. */
export interface LaunchScene {
  readonly now: Instant;
  readonly deadline: Instant;
  readonly instance: InstanceId;
  readonly node: Node | "absent";
  /** Why the role of the instance is not mapped; empty when it is. */
  readonly unmapped: string;
  /** The keys of the taints that a new node has until it has been set up. */
  readonly startupTaints: readonly string[];
  /** What Auto Scaling does with an instance whose node is not ready in time. */
  readonly atDeadline: ActionResult;
}

/** The end of a launch that has waited for its node. */
export type LaunchEnd = Extract<Outcome, { readonly kind: "joined" | "not-joined" }>;

/** What a launch does next. */
export type LaunchStep =
  | { readonly kind: "finish"; readonly outcome: LaunchEnd }
  | { readonly kind: "wait"; readonly reason: string };

/**
 * Decides whether a launch is over: the node is ready and set up, or the deadline has come.
 *
 * A node that becomes ready at the last moment counts as ready.
 */
export function launchStep(scene: LaunchScene): LaunchStep {
  const { now, deadline, node, atDeadline: result } = scene;
  const reason = unreadiness(scene);
  if (node !== "absent" && reason === "")
    return { kind: "finish", outcome: { kind: "joined", node: node.name } };
  if (now < deadline) return { kind: "wait", reason };
  return { kind: "finish", outcome: { kind: "not-joined", reason, result } };
}

/** Why a launched instance cannot take pods yet; empty when it can. */
function unreadiness({ instance, node, unmapped, startupTaints }: LaunchScene): string {
  if (node === "absent")
    return unmapped === ""
      ? `no node of ${instance} has registered`
      : `no node of ${instance} has registered, and its role is not mapped: ${unmapped}`;
  if (node.readiness !== "ready")
    return `node ${node.name} is ${node.readiness}: ${node.readinessMessage || "nothing is said"}`;
  const left = node.taints.map(({ key }) => key).filter((key) => startupTaints.includes(key));
  return left.length === 0 ? "" : `node ${node.name} still has the taint ${left.join(", ")}`;
}
