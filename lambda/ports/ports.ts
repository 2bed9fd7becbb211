import type { Entry } from "../domain/entry.ts";
import type { GroupName, HookName, InstanceId, NodeName } from "../domain/ids.ts";
import type { Labels } from "../domain/labels.ts";
import type { Access } from "../domain/launch/access.ts";
import type { NodeRole } from "../domain/launch/node-mapping.ts";
import type { Attachment } from "../domain/node/attachment.ts";
import type { Machine } from "../domain/node/ec2-instance.ts";
import type { Marking, Unmarking } from "../domain/node/marking.ts";
import type { Node } from "../domain/node/node.ts";
import type {
  ActionAnswer,
  ActionResult,
  LifecycleAction,
  Membership,
} from "../domain/notice/lifecycle-action.ts";
import type { Budget } from "../domain/pod/budget.ts";
import type { Eviction, Grace } from "../domain/pod/eviction.ts";
import type { Pod } from "../domain/pod/pod.ts";
import type { Sighting } from "../domain/pod/pod-lookup.ts";
import type { ClusterObject } from "../domain/rights/cluster-object.ts";
import type { Duration, Instant } from "../domain/time.ts";
import type { Bell } from "./bell.ts";

/** The pods of a node and the budgets of the cluster, kept up to date: a list, then everything that changes. */
export interface DrainView {
  /** The pods as last heard; throws what went wrong if they can no longer be followed. */
  pods(): readonly Pod[];
  budgets(): readonly Budget[];
  /** When the pods were last listed as a whole. */
  listed(): Instant;
  /** Lists the pods anew, from a quorum. */
  list(): Promise<void>;
  /** Ends the following. */
  close(): void;
}

/** The Kubernetes cluster that is being drained. */
export interface Cluster {
  /** The node of an instance: looked for under the names it may have, then among all nodes. */
  findNode(instance: InstanceId, names: readonly NodeName[]): Promise<Node | "absent">;
  /** The node of that name now, whoever it is. */
  node(name: NodeName): Promise<Node | "absent">;
  /** Writes a mark if nobody wrote the node since it was read; it is made up anew each time it is sent, for it tells the time. */
  mark(node: Node, marking: () => Marking): Promise<Marked>;
  /** All nodes of the cluster. */
  nodes(): Promise<readonly Node[]>;
  /** Takes a mark back if nobody wrote the node since it was read. */
  unmark(node: Node, unmarking: Unmarking): Promise<Marked>;
  /** Whether a DaemonSet is there; `unclear` when the API server does not say. */
  daemonSet(namespace: string, name: string): Promise<"there" | "absent" | "unclear">;
  /** Follows the pods of a node; the bell rings at every change. */
  follow(node: NodeName, bell: Bell): Promise<DrainView>;
  /** Follows the nodes of these names; the bell rings at every change. */
  followNodes(names: readonly NodeName[], bell: Bell): Promise<NodesView>;
  /** Follows the volume attachments; the bell rings at every change. */
  followAttachments(bell: Bell): Promise<AttachmentsView>;
  /** The PersistentVolumes behind the claims of a pod, those that are bound. */
  volumesOf(pod: Pod): Promise<readonly string[]>;
  /** Reads a pod anew, and no other that may have taken its name. */
  look(pod: Pod): Promise<Sighting>;
  /** Evicts a pod, and no other that may have taken its name. */
  evict(pod: Pod, grace: Grace): Promise<Eviction>;
  /** Deletes a pod whatever its budget says, and no other that may have taken its name. */
  remove(pod: Pod, grace: Duration): Promise<Eviction>;
}

/** Some nodes of the cluster, kept up to date. */
export interface NodesView {
  nodes(): readonly Node[];
  /** Ends the following. */
  close(): void;
}

/** The volume attachments of the cluster, kept up to date. */
export interface AttachmentsView {
  attachments(): readonly Attachment[];
  /** Ends the following. */
  close(): void;
}

/** What became of a mark, written or taken back; `changed` means that somebody else wrote first. */
export type Marked = "marked" | "changed" | "gone";

/** An Auto Scaling group, as far as drains are concerned. */
export interface ScalingGroup {
  /** The instances that a terminate hook holds. */
  readonly heldTerminating: readonly InstanceId[];
  readonly tags: Labels;
}

/** The Auto Scaling groups and their hooks. */
export interface ScalingGroups {
  membership(instance: InstanceId): Promise<Membership>;
  /** The group as it is now; `absent` when there is none of that name. */
  group(name: GroupName): Promise<ScalingGroup | "absent">;
  /** How long a hook waits for a heartbeat; `absent` when the group has no such hook. */
  heartbeatTimeout(group: GroupName, hook: HookName): Promise<Duration | "absent">;
  /** Restarts the hook's timeout. */
  heartbeat(action: LifecycleAction): Promise<ActionAnswer>;
  /** Releases the instance. */
  complete(action: LifecycleAction, result: ActionResult): Promise<ActionAnswer>;
}

/** The machines behind the nodes. */
export interface Instances {
  /** The machine itself; `unknown` when EC2 has not heard of it: not yet, or no more. */
  machine(instance: InstanceId): Promise<Machine | "unknown">;
}

/** The roles that machines work under. */
export interface Roles {
  /** The ARN of the role in an instance profile, with its path; `none` when there is none in it. */
  roleIn(profile: string): Promise<string | "none">;
}

/** Who may join the cluster as a node. */
export interface NodeAccess {
  /** Lets the holders of a role join, unless they may already; nobody is ever shut out. */
  admit(role: NodeRole): Promise<Access>;
}

/** The time, and the only way to let it pass. */
export interface Clock {
  now(): Instant;
  /** Waits until a point in time, or until the bell rings if that is sooner. */
  sleep(until: Instant, bell: Bell): Promise<void>;
}

/** Until when nobody here asks the API server to let a pod go, for it has asked to be left alone. */
export interface Pause {
  until(): Instant;
  extend(until: Instant): void;
}

/** Where everything that happens is told. */
export interface Journal {
  record(entry: Entry): void;
}

/** A message of the queue, as it was received. */
export interface Letter {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
}

/** The queue that notices come from. */
export interface Inbox {
  /** Lets a message rest before it is received again. */
  postpone(letter: Letter, wait: Duration): Promise<void>;
  /** Puts a message that can never be worked on where people look, with the reason. */
  bury(letter: Letter, reason: string): Promise<void>;
}

/** Everything a flow reaches the world through. */
export interface Ports {
  readonly cluster: Cluster;
  readonly groups: ScalingGroups;
  readonly instances: Instances;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly pause: Pause;
}

/** What a launch needs besides. */
export interface LaunchPorts extends Ports {
  readonly roles: Roles;
  readonly access: NodeAccess;
}

/** The objects of a cluster that give access to it; several deployments may want the same. */
export interface AccessObjects {
  /** Makes an object what it should be, and says whether it was there before. */
  apply(object: ClusterObject): Promise<"changed" | "created">;
  /** Writes at an object that this deployment wants it. */
  claim(object: ClusterObject): Promise<"claimed" | "gone">;
  /** Takes the claim back, and leaves the object. */
  disclaim(object: ClusterObject): Promise<void>;
  /** Takes the claim back, and removes the object unless another deployment claims it. */
  remove(object: ClusterObject): Promise<void>;
}
