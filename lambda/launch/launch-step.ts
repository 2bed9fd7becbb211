import type { InstanceId } from "../base/ids.ts";
import { type Instant, later, minutes } from "../base/time.ts";
import type { Node } from "../drain/node.ts";
import type { ActionResult } from "../notice/lifecycle-action.ts";
import type { LaunchOutcome } from "./launch-outcome.ts";
import { startupTaintsOn } from "./startup-taints.ts";

/** A node with a name of the launched instance, whose provider ID is that of another instance. */
export interface Namesake {
  readonly node: Node;
  readonly instance: InstanceId;
  /** EC2's answer whether the other instance has ended; `unclear` until it was asked. */
  readonly isEnded: "yes" | "no" | "unclear";
}

/** A launch as it looks now. */
export interface LaunchScene {
  readonly now: Instant;
  readonly deadline: Instant;
  readonly instance: InstanceId;
  /** When EC2 launched the instance and gave it its address and names; `unknown` if EC2 does not say. */
  readonly launched: Instant | "unknown";
  readonly node: Node | "absent";
  readonly namesake: Namesake | "none";
  /** Why the role of the instance is not registered; empty when it is. */
  readonly unregistered: string;
  /** The keys of the taints that a new node has until it has been set up; one may end with `*`. */
  readonly startupTaints: readonly string[];
  /** The fate of an instance whose node is not ready in time. */
  readonly atDeadline: ActionResult;
}

/** The end of a launch that has waited for its node. */
export type LaunchEnd = Extract<LaunchOutcome, { readonly kind: "joined" | "not-joined" }>;

/** The next step of a launch. */
export type LaunchStep =
  | { readonly kind: "finish"; readonly outcome: LaunchEnd }
  | { readonly kind: "wait"; readonly reason: string };

/**
 * Decides whether a launch is over: the node is ready and set up, the deadline has come, or the kubelet reports to the
 * node of an ended instance with the same name.
 *
 * A ready node proves that it has joined, no matter who registered its role. A node that becomes ready at the last moment
 * counts as ready.
 */
export function launchStep(scene: LaunchScene): LaunchStep {
  const { now, deadline, node, atDeadline: result } = scene;
  const reason = unreadiness(scene);
  if (node !== "absent" && reason === "")
    return { kind: "finish", outcome: { kind: "joined", node: node.name } };
  if (now < deadline && !isNameTaken(scene)) return { kind: "wait", reason };
  return { kind: "finish", outcome: { kind: "not-joined", reason, result } };
}

/** Why a launched instance cannot take pods yet; empty when it can. */
function unreadiness(scene: LaunchScene): string {
  const { node, startupTaints } = scene;
  if (node === "absent") return absence(scene);
  if (node.readiness !== "ready")
    return `node ${node.name} is ${node.readiness}: ${node.readinessMessage || "nothing is said"}`;
  const left = startupTaintsOn(node, startupTaints);
  return left.length === 0 ? "" : `node ${node.name} still has the taint ${left.join(", ")}`;
}

function absence({ instance, namesake, unregistered }: LaunchScene): string {
  if (namesake !== "none") return taking(instance, namesake);
  const absent = `no node of ${instance} has registered`;
  return unregistered === ""
    ? absent
    : `${absent}, and its role is not registered: ${unregistered}`;
}

function taking(instance: InstanceId, { node, instance: other, isEnded }: Namesake): string {
  const state = node.unschedulable ? `${node.readiness} and cordoned` : node.readiness;
  const end = isEnded === "yes" ? ", which has ended" : "";
  return `node ${node.name}, a name of ${instance}, is ${state} and by its provider ID that of ${other}${end}`;
}

// Kubernetes notices within a minute that the kubelet of an ended instance is silent.
const silence = minutes(2);

/**
 * True if the kubelet of the instance reports to the node of another instance, so that the instance never gets its own node.
 * All of these hold:
 * - the other instance has ended;
 * - a kubelet reports that the node is ready;
 * - the name has belonged to the new instance for longer than Kubernetes takes to notice that a kubelet is silent.
 */
const isNameTaken = ({ node, namesake, launched, now }: LaunchScene): boolean =>
  node === "absent" &&
  namesake !== "none" &&
  namesake.isEnded === "yes" &&
  namesake.node.readiness === "ready" &&
  launched !== "unknown" &&
  now >= later(launched, silence);
