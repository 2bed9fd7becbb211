import type { Pause } from "../base/clock.port.ts";
import type { InstanceId, NodeName, NodeUid } from "../base/ids.ts";
import type { Duration, Instant } from "../base/time.ts";
import type { Wakeup } from "../base/wakeup.ts";
import type { Instances } from "../group/group.port.ts";
import type { Journal } from "../notice/journal.port.ts";
import type { PassPorts } from "../notice/notice.port.ts";
import type { Attachment } from "./attachment.ts";
import type { Budget, BudgetAccounts } from "./budget.ts";
import type { DrainEntry } from "./drain-entry.ts";
import type { Evicted, Eviction, Grace } from "./eviction.ts";
import type { Marking } from "./marking.ts";
import type { Node } from "./node.ts";
import type { Pod, PodLookup } from "./pod.ts";
import type { Reasons } from "./reason.ts";
import type { OpensRoom } from "./room.port.ts";
import type { Target } from "./target.ts";
import type { Unmarking } from "./unmarking.ts";

/** The load balancers that send requests to instances. */
export interface LoadBalancers {
  /**
   * The instance as a target of every load balancer of its VPC, with all its ports; without those that have let it go. It
   * can take long where there are hundreds, so `onFound` hears of some at a time.
   */
  targetsOf(
    instance: InstanceId,
    vpc: string,
    onFound?: (targets: readonly Target[]) => void,
  ): Promise<readonly Target[]>;
  /**
   * The same targets as they are now. Asks all of their load balancers even if one does not answer, so `onFound` hears of
   * what the others say.
   */
  look(
    targets: readonly Target[],
    onFound?: (targets: readonly Target[]) => void,
  ): Promise<readonly Target[]>;
  /** Takes the targets out of their load balancers. */
  deregister(targets: readonly Target[]): Promise<void>;
}

/** Which nodes this process marks, or has just marked, so that its drains do not all mark the nodes of each other. */
export interface Marks {
  /** Keeps a mark of an instance's node that is under way. One that ends as `failed` is forgotten then: the next pass makes it. */
  keep(instance: InstanceId, mark: Promise<unknown>): void;
  /** The mark that is under way, or was until a moment ago. */
  find(instance: InstanceId): Promise<unknown> | undefined;
  /** Notes that a node has been marked. */
  made(): void;
  /**
   * The number of nodes that this process has marked so far: a waiter sees by it whether marking
   * goes on.
   */
  count(): number;
}

/** The requests for pods that this process has under way, or that took effect a moment ago, so that two drains of one node send each once. */
export interface PodRequests {
  /** The answer to such a request; sends it if there is none. */
  recall(title: string, send: () => Promise<Evicted>): Promise<Evicted>;
  /** Forgets such an answer once the pod shows that the request had no effect, so that the next one is sent. */
  forget(title: string): void;
}

/** Since when this process knows what others have written, so that a clock of theirs makes it last no longer. */
export interface Sightings {
  /** When this process first saw what is now said about something of a node, or of an instance, whose node may be another one later. */
  since(one: InstanceId | NodeUid, about: string, said: string): Instant;
}

/** The pods of a node and the budgets of the cluster, kept up to date by informers: a list, then every change. */
export interface DrainView {
  /** The pods as the informer last saw them; throws the informer's fault if it can no longer follow them. */
  pods(): readonly Pod[];
  /** The budgets that are known. */
  budgets(): readonly Budget[];
  /** Why the budgets of a namespace are not known, or not yet: there the API server alone judges evictions. */
  unread(): ReadonlyMap<string, string>;
  /** The budget requests of all drains of this process. */
  accounts(): BudgetAccounts;
  /** When the pods were last listed as a whole. */
  listed(): Instant;
  /** Lists the pods again, from a quorum. */
  list(): Promise<void>;
  /** Stops the informers. */
  close(): void;
}

/** The pods of a node. */
export interface NodePods {
  readonly pods: readonly Pod[];
  /** The namespaces that have too many pods there, or too large ones: theirs were not read. */
  readonly leftOut: readonly string[];
}

/** The Kubernetes cluster that is being drained. */
export interface Cluster {
  /** The node of an instance: looked for under the names it may have, then among all nodes. */
  findNode(instance: InstanceId, names: readonly NodeName[]): Promise<Node | "absent">;
  /** The node of an instance, looked for only under the names it may have. */
  nodeNamed(instance: InstanceId, names: readonly NodeName[]): Promise<Node | "absent">;
  /** The name of an instance's node, looked for among all nodes; calls within a few seconds of each other share one list. */
  nodeNameOf(instance: InstanceId): Promise<NodeName | "absent">;
  /**
   * The nodes that have the provider ID of an instance: several, if a kubelet has taken that of another's. They are looked for
   * among all nodes, or among the cordoned ones, which are few; calls within a few seconds of each other share one list.
   */
  nodesOf(instance: InstanceId, among: "all" | "cordoned"): Promise<readonly Node[]>;
  /** The nodes that are cordoned, with nothing of them but their names and annotations. */
  cordonedNodes(): Promise<readonly CordonedNode[]>;
  /** The node that has this name now, even if it is another one than before. */
  node(name: NodeName): Promise<Node | "absent">;
  /** Writes or removes a mark unless somebody has written the node since it was read. Each try makes its own mark, which contains the time. */
  mark(node: Node, change: () => Marking | Unmarking): Promise<NodeWrite>;
  /** Removes a node unless somebody has written it since it was read, or put another one in its place. */
  removeNode(node: Node): Promise<NodeRemoval>;
  /** Looks for a DaemonSet; `unclear` when the API server does not say. */
  daemonSet(namespace: string, name: string): Promise<"there" | "absent" | "unclear">;
  pods(node: NodeName): Promise<NodePods>;
  /** Follows the pods of a node; it wakes the drain at every change. */
  follow(node: NodeName, wakeup: Wakeup): Promise<DrainView>;
  /** Follows the nodes of these names; it wakes the drain at every change. */
  followNodes(names: readonly NodeName[], wakeup: Wakeup): Promise<NodesView>;
  /** Follows volume attachments of a node, and perhaps others; it wakes the drain at every change of one of the node's. */
  followAttachments(wanted: WantedAttachments, wakeup: Wakeup): Promise<AttachmentsView>;
  /** The PersistentVolume that a claim is bound to; empty if none. */
  volumeOf(namespace: string, claim: string): Promise<string>;
  /** Reads a pod again, and no other that may have taken its name. */
  lookUp(pod: Pod): Promise<PodLookup>;
  /** Evicts a pod, and no other that may have taken its name; asks directly before whether it had better stay. */
  evict(pod: Pod, grace: Grace, holdsBack?: () => Promise<boolean>): Promise<Evicted>;
  /** Asks what the answer to an eviction would be now, and evicts nothing. */
  tryEviction(pod: Pod): Promise<Eviction>;
  /** Deletes a pod whatever its budget says, and no other that may have taken its name. */
  remove(pod: Pod, grace: Duration): Promise<Eviction>;
}

/** A cordoned node, as a list shows it. */
export type CordonedNode = Pick<Node, "annotations" | "labels" | "name">;

/** Some nodes of the cluster, kept up to date. */
export interface NodesView {
  nodes(): readonly Node[];
  /** Stops the informer. */
  close(): void;
}

/** Which attachments of a node to follow. */
export interface WantedAttachments {
  readonly node: NodeName;
  /** The volumes by the names in the node's status; `unknown` for all attachments that there are. */
  readonly volumes: readonly string[] | "unknown";
}

/** Volume attachments of the cluster, kept up to date. */
export interface AttachmentsView {
  attachments(): readonly Attachment[];
  /** Stops the informer. */
  close(): void;
}

/** The result of writing or removing a mark; `changed` means that somebody else wrote the node first, or a webhook undid the write. */
export type NodeWrite = "marked" | "changed" | "gone";

/**
 * The result of removing a node; `changed` means that it has been written since it was read, or replaced, and `kept` that
 * its finalizers keep it though it is terminating.
 */
export type NodeRemoval = "removed" | "changed" | "gone" | "kept";

/** The outside world of a drain. */
export interface DrainPorts extends PassPorts {
  readonly cluster: Cluster;
  readonly instances: Pick<Instances, "describe" | "namesOf">;
  readonly balancers: LoadBalancers;
  readonly journal: Journal<DrainEntry>;
  readonly pause: Pause;
  readonly marks: Marks;
  readonly podRequests: PodRequests;
  readonly sightings: Sightings;
  /** The name by which other processes know the leases of this one. */
  readonly process: string;
  /** The reasons for drains, and what they mean. */
  readonly reasons: Reasons;
  /** Makes room for pods whose budgets have nothing to spare. @default none is made */
  readonly room?: OpensRoom;
}
