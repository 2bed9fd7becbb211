import { type Duration, type Instant, later, seconds, unlessAhead } from "../base/time.ts";
import { type Marking, unchanged } from "../drain/marking.ts";
import type { Node, Taint } from "../drain/node.ts";
import { isSameTaint } from "../drain/own-taint.ts";
import type { Unmarking } from "../drain/unmarking.ts";
import type { Ec2Instance } from "../group/ec2-instance.ts";

/** The settings for the nodes of instances that are gone. */
export interface LeftNodeSettings {
  /** The instances whose left nodes are removed: `stopped` includes terminated ones. */
  readonly removeNode: "never" | "stopped" | "terminated";
  /**
   * The time without readiness after which a node is removed: the cloud controller has so much time
   * to do it first.
   */
  readonly lingers: Duration;
  /** The taint `out-of-service` on such a node, by which stateful pods move without delay. */
  readonly outOfService: "never" | "taint";
}

/** A node whose instance may be gone. */
export interface LeftNode {
  readonly node: Node;
  readonly ec2Instance: Ec2Instance | "unknown";
  /** The lifecycle state of the instance in its Auto Scaling group; empty when it is in none. */
  readonly state: string;
  readonly settings: LeftNodeSettings;
  readonly now: Instant;
}

/** The next step for such a node. */
export type LeftNodeStep =
  | { readonly kind: "remove" | "taint" | "untaint" }
  /** The cloud controller may still remove the node, or the instance is still about to go. */
  | { readonly kind: "wait"; readonly until: Instant }
  | { readonly kind: "leave"; readonly reason: string };

/** Chooses what to do about a node whose instance may be gone. A node to which a kubelet reports, or whose instance EC2 calls running, is never removed. */
export function leftNodeStep(left: LeftNode): LeftNodeStep {
  const { node, settings, now } = left;
  if (!isGone(left)) return isOutOfService(node) ? { kind: "untaint" } : stepOfLiving(left);
  if (settings.outOfService === "taint" && !hasTaint(node)) return { kind: "taint" };
  // A kubelet may have written a time that is yet to come, which would keep its node for ever.
  const until = later(unlessAhead(node.readinessSince, now), settings.lingers);
  return until > now ? { kind: "wait", until } : { kind: "remove" };
}

/**
 * Whether the instance of a node is gone, so that nothing runs on the node. Both of these:
 * - no kubelet reports to the node: one that says it is not ready may be that of a new instance with the same name, and
 *   a kubelet does not register again;
 * - EC2 says so.
 * @see https://github.com/kubernetes/kubernetes/issues/71398
 */
const isGone = (left: LeftNode): boolean => left.node.readiness === "unreachable" && isEnded(left);

/**
 * Whether EC2 says that an instance is gone whose node is to be removed. One of these:
 * - it is terminated, or EC2 no longer knows it;
 * - it is stopped, and its group does not wait for it to come back.
 */
function isEnded({ ec2Instance, state, settings: { removeNode } }: LeftNode): boolean {
  if (removeNode === "never") return false;
  if (ec2Instance === "unknown" || ec2Instance.life === "terminated") return true;
  return ec2Instance.life === "stopped" && removeNode === "stopped" && mayStayAway(state);
}

/** Not in Standby, detached, or while its root volume is replaced: such an instance is probably started again. */
const mayStayAway = (state: string): boolean => /^(?:InService|Terminat|Warmed:)/.test(state);

// Kubernetes notices a dead kubelet after 40 seconds.
const nextLook = seconds(20);

function stepOfLiving(left: LeftNode): LeftNodeStep {
  const { node, ec2Instance, state, settings, now } = left;
  const life = ec2Instance === "unknown" ? "unknown" : ec2Instance.life;
  const isGoing = life === "ending" || (life === "there" && state.startsWith("Terminating"));
  // The instance has ended with its kubelet, and Kubernetes has not noticed it yet.
  const isUnnoticed = life !== "unknown" && isEnded(left);
  if (!isGoing && !isUnnoticed)
    return {
      kind: "leave",
      reason: `node ${node.name} is ${node.readiness}, its instance ${life}`,
    };
  const wait = settings.outOfService === "taint" ? nextLook : settings.lingers;
  return { kind: "wait", until: later(now, wait) };
}

/**
 * The taint that makes Kubernetes give up a node's pods and volumes at once.
 * @see https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/#non-graceful-node-shutdown
 */
export const outOfServiceTaint: Taint = {
  key: "node.kubernetes.io/out-of-service",
  value: "nodeshutdown",
  effect: "NoExecute",
  timeAdded: "",
};

/** Present when that taint is ours, so that we remove no taint but our own. */
export const outOfServiceAnnotation = "eks-node-lifecycle/out-of-service";

const hasTaint = ({ taints }: Node): boolean =>
  taints.some(({ key }) => key === outOfServiceTaint.key);

const isOwn = (taint: Taint): boolean => isSameTaint(taint, outOfServiceTaint);

/** Whether this deployment has tainted a node as out of service. */
export const isOutOfService = (node: Node): boolean =>
  node.taints.some(isOwn) && outOfServiceAnnotation in node.annotations;

/** The change that taints a node as out of service. */
export const outOfServiceMarking = ({ taints }: Node): Marking => ({
  ...unchanged,
  annotations: { [outOfServiceAnnotation]: "true" },
  taints: [...taints, outOfServiceTaint],
});

/** The change that removes this taint. */
export const backInServiceMarking = ({ taints }: Node): Unmarking => ({
  ...unchanged,
  annotations: { [outOfServiceAnnotation]: null },
  taints: taints.filter((taint) => !isOwn(taint)),
});
