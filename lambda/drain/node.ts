import type { InstanceId, NodeName, NodeUid } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import type { Instant } from "../base/time.ts";

/** A taint of a node, as Kubernetes writes it. */
export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
  /** When it was added, for effects that evict; empty otherwise. */
  readonly timeAdded: string;
}

/** The readiness in the node's `Ready` condition; `unreachable` is `Unknown`, which is not `False`. */
export type Readiness = "ready" | "not-ready" | "unreachable";

/** A node as it looks now. */
export interface Node {
  readonly name: NodeName;
  readonly uid: NodeUid;
  /** `aws:///<zone>/<instance id>`; empty if not set. */
  readonly providerId: string;
  /** Changes with every write. A patch that names it fails if the node was written since. */
  readonly resourceVersion: string;
  readonly unschedulable: boolean;
  readonly readiness: Readiness;
  /** Since when `readiness` is as it is; without a `Ready` condition, since the node was created. */
  readonly readinessSince: Instant;
  /** The message of the `Ready` condition; empty without one. */
  readonly readinessMessage: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly taints: readonly Taint[];
  /** The volumes that are attached to it or that its kubelet needs, according to its status, by the names that Kubernetes gives them. */
  readonly volumes: readonly string[];
}

/** A node, as far as its annotations tell what was done with it. */
export type Annotated = Pick<Node, "annotations">;

/** A condition of a node, as Kubernetes writes it. */
export interface NodeCondition {
  /** Such as `Ready` or `KernelReady`. */
  readonly type: string;
  readonly status: "False" | "True" | "Unknown";
  /** Such as `KubeletNotReady`; empty without one. */
  readonly reason: string;
  readonly message: string;
  /** Since when `status` is as it is. */
  readonly since: Instant;
}

export interface MachineNode extends Node {
  /** Empty if the node does not run on EC2, or has no provider ID. */
  readonly instance: InstanceId;
  readonly created: Instant;
  readonly conditions: readonly NodeCondition[];
  /** Changes with every start of the machine; empty if the kubelet has not reported it, or as something else than a word. */
  readonly bootId: string;
  /** The latest time at which it has reported, by its own clock; `0` where its conditions do not tell. */
  readonly reported: Instant;
  /** Such as `v1.33.1-eks-1234567`. */
  readonly kubeletVersion: string;
  /** Its internal address; empty without one. */
  readonly address: string;
}

/**
 * Whether a node runs on an instance: its provider ID is `aws:///<zone>/<instance id>`.
 *
 * A node's name proves nothing: somebody has chosen it, and a later node may have it again.
 */
export const runsOn = ({ providerId }: Pick<Node, "providerId">, instance: InstanceId): boolean =>
  providerId.startsWith("aws:") && providerId.endsWith(`/${instance}`);

/** Orders nodes that name the same instance by which of them is more likely its own, the likeliest last: a ready one, or else the newest. */
export const byLikelihood = (a: Likelihood, b: Likelihood): number =>
  Number(a.readiness === "ready") - Number(b.readiness === "ready") || a.created - b.created;

type Likelihood = Pick<MachineNode, "readiness" | "created">;
