import { type Duration, type Instant, later } from "../time.ts";
import type { Ec2Instance } from "./ec2-instance.ts";
import type { Marking, Unmarking } from "./marking.ts";
import type { Node, Taint } from "./node.ts";

/** What is done about the nodes of instances that are gone. */
export interface LeftNodeSettings {
  /** Whether the node of an instance is removed that EC2 has terminated, also of one that it has stopped, or of none. */
  readonly removeNode: "never" | "stopped" | "terminated";
  /** How long a node is not ready before it is removed: the cloud controller has so much time to do it first. */
  readonly lingers: Duration;
  /** Whether Kubernetes is told at once that such a node is out of service, so that stateful pods move without delay. */
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

/** What to do about such a node. */
export type LeftNodeStep =
  | { readonly kind: "remove" | "taint" | "untaint" }
  /** The cloud controller may still remove the node, or the instance is still about to go. */
  | { readonly kind: "wait"; readonly until: Instant }
  | { readonly kind: "leave"; readonly reason: string };

/** Chooses what to do about a node whose instance may be gone. A node that is ready, or whose instance EC2 calls running, is never removed. */
export function leftNodeStep(left: LeftNode): LeftNodeStep {
  const { node, settings, now } = left;
  if (!isGone(left)) return isOutOfService(node) ? { kind: "untaint" } : stepOfLiving(left);
  if (settings.outOfService === "taint" && !hasTaint(node)) return { kind: "taint" };
  const until = later(node.readinessSince, settings.lingers);
  return until > now ? { kind: "wait", until } : { kind: "remove" };
}

/**
 * Whether the instance of a node is gone, so that nothing runs on the node. All of these:
 * - the node does not report that it is ready;
 * - EC2 says that the instance is terminated, or no longer knows it, or says that it is stopped;
 * - a stopped instance is one whose node is to be removed too, and whose group does not wait for it to come back.
 */
const isGone = ({ node, ec2Instance, state, settings: { removeNode } }: LeftNode): boolean => {
  if (node.readiness === "ready" || removeNode === "never") return false;
  if (ec2Instance === "unknown" || ec2Instance.life === "terminated") return true;
  return ec2Instance.life === "stopped" && removeNode === "stopped" && mayStayAway(state);
};

/** Not in Standby, detached, or while its root volume is replaced: somebody means to start such an instance again. */
const mayStayAway = (state: string): boolean => /^(?:InService|Terminat|Warmed:)/.test(state);

function stepOfLiving({ node, ec2Instance, state, settings, now }: LeftNode): LeftNodeStep {
  const { life } = ec2Instance === "unknown" ? { life: "unknown" as const } : ec2Instance;
  const wait = { kind: "wait", until: later(now, settings.lingers) } as const;
  const isGoing = life === "ending" || (life === "there" && /^Terminating/.test(state));
  if (isGoing) return wait;
  // The kubelet is dead, and Kubernetes has not noticed it yet.
  if (life === "terminated" && node.readiness === "ready" && settings.removeNode !== "never")
    return wait;
  return { kind: "leave", reason: `node ${node.name} is ${node.readiness}, its instance ${life}` };
}

/** The taint by which Kubernetes gives up a node's pods and volumes at once. @see https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/#non-graceful-node-shutdown */
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

/** Whether we have said that a node is out of service. */
export const isOutOfService = (node: Node): boolean =>
  hasTaint(node) && outOfServiceAnnotation in node.annotations;

/** What tells Kubernetes that a node is out of service. */
export const outOfServiceMarking = ({ taints }: Node): Marking => ({
  labels: {},
  annotations: { [outOfServiceAnnotation]: "true" },
  unschedulable: "as it is",
  taints: [...taints, outOfServiceTaint],
});

/** What tells Kubernetes that a node is back. */
export const backInServiceMarking = ({ taints }: Node): Unmarking => ({
  labels: {},
  annotations: { [outOfServiceAnnotation]: null },
  unschedulable: "as it is",
  taints: taints.filter(({ key }) => key !== outOfServiceTaint.key),
});
