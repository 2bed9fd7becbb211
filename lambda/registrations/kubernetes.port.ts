import type { Bell } from "../base/bell.ts";
import type { InstanceId, NodeName } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import type { Duration, Instant } from "../base/time.ts";
import type { Attachment } from "../drain/attachment.ts";
import type { Budget, BudgetAccounts } from "../drain/budget.ts";
import type { Eviction, Grace } from "../drain/eviction.ts";
import type { Marking } from "../drain/marking.ts";
import type { MachineNode, Node } from "../drain/node.ts";
import type { Host, NodeInfo } from "../drain/node-info.ts";
import type { Pod, PodLookup } from "../drain/pod.ts";
import type { ReschedulablePod } from "../drain/reschedulable-pod.ts";
import type { Resources } from "../drain/resources.ts";
import type { Unmarking } from "../drain/unmarking.ts";
import type { Cheapen, RoomWrite } from "../making-room/next-room-step.ts";
import type { Replica, RoomRef, SurgedWorkload, Workload } from "../making-room/workload.ts";
import type { Note } from "../notice/outcome.ts";
import type { ClusterObject } from "../rights/cluster-object.ts";

/** The pods of a node and the budgets of the cluster, kept up to date by informers: a list, then every change. */
export interface DrainView {
  /** The pods as the informer last saw them; throws the informer's fault if it can no longer follow them. */
  pods(): readonly Pod[];
  /** The budgets that are known. */
  budgets(): readonly Budget[];
  /** Why the budgets of a namespace are not known, or not yet: there the API server alone judges evictions. */
  unread(): ReadonlyMap<string, string>;
  /** What all drains of this process have requested of budgets. */
  accounts(): BudgetAccounts;
  /** When the pods were last listed as a whole. */
  listed(): Instant;
  /** Lists the pods anew, from a quorum. */
  list(): Promise<void>;
  /** Stops the informers. */
  close(): void;
}

/** The Kubernetes cluster that is being drained. */
export interface Cluster {
  /** The workloads whose pods are made elsewhere first; most drains need none. */
  workloads(): Promise<Workloads>;
  /** The node of an instance: looked for under the names it may have, then among all nodes. */
  findNode(instance: InstanceId, names: readonly NodeName[]): Promise<Node | "absent">;
  /** The node of an instance, looked for only under the names it may have. */
  nodeNamed(instance: InstanceId, names: readonly NodeName[]): Promise<Node | "absent">;
  /** The name of an instance's node, looked for among all nodes; calls within a few seconds of each other share one list. */
  nodeNameOf(instance: InstanceId): Promise<NodeName | "absent">;
  /** The node of an instance, looked for among all nodes; calls within a few seconds of each other share one list. */
  nodeOf(instance: InstanceId): Promise<Node | "absent">;
  /** The node of an instance, looked for among the cordoned nodes only, which are few; calls share a list as above. */
  cordonedNodeOf(instance: InstanceId): Promise<Node | "absent">;
  /** The nodes that are cordoned, with nothing of them but their names and annotations. */
  cordonedNodes(): Promise<readonly CordonedNode[]>;
  /** The node that has this name now, even if it is another one than before. */
  node(name: NodeName): Promise<Node | "absent">;
  /** Writes or removes a mark unless somebody has written the node since it was read. Each try makes its own mark, which contains the time. */
  mark(node: Node, change: () => Marking | Unmarking): Promise<NodeWrite>;
  /** Removes a node unless somebody has written it since it was read, or put another one in its place. */
  removeNode(node: Node): Promise<NodeRemoval>;
  /** Whether a DaemonSet is there; `unclear` when the API server does not say. */
  daemonSet(namespace: string, name: string): Promise<"there" | "absent" | "unclear">;
  pods(node: NodeName): Promise<readonly Pod[]>;
  /** Follows the pods of a node; the bell rings at every change. */
  follow(node: NodeName, bell: Bell): Promise<DrainView>;
  /** Follows the nodes of these names; the bell rings at every change. */
  followNodes(names: readonly NodeName[], bell: Bell): Promise<NodesView>;
  /** Follows volume attachments of a node, and perhaps others; the bell rings at every change of one of the node's. */
  followAttachments(wanted: WantedAttachments, bell: Bell): Promise<AttachmentsView>;
  /** The PersistentVolume that a claim is bound to; empty if none. */
  volumeOf(namespace: string, claim: string): Promise<string>;
  /** Reads a pod anew, and no other that may have taken its name. */
  lookUp(pod: Pod): Promise<PodLookup>;
  /** Evicts a pod, and no other that may have taken its name. */
  evict(pod: Pod, grace: Grace): Promise<Eviction>;
  /** Asks what the answer to an eviction would be now, and evicts nothing. */
  tryEviction(pod: Pod): Promise<Eviction>;
  /** Deletes a pod whatever its budget says, and no other that may have taken its name. */
  remove(pod: Pod, grace: Duration): Promise<Eviction>;
}

/** What a list of cordoned nodes tells of each. */
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
 * its finalizers keep it though it is told to end.
 */
export type NodeRemoval = "removed" | "changed" | "gone" | "kept";

/** Workloads whose pods may be made elsewhere before they are let go, and the nodes that may take those. */
export interface Workloads {
  /** The workload that made a pod, or the kind of what cannot have more pods. */
  makerOf(pod: Pod): Promise<Workload | string>;
  /** Reads a workload again, and the autoscalers that it is known to have; all of its namespace where none are given. */
  again(
    workload: Partial<Pick<Workload, "scalers">> &
      Pick<Workload, "kind" | "name" | "namespace" | "uid">,
  ): Promise<Workload | "gone">;
  /** The pods of a workload; or why nobody reads them, where others have made them very large. */
  replicasOf(workload: Workload): Promise<readonly Replica[] | string>;
  /** Everything at which a change of ours is recorded. */
  records(): Promise<RoomRecords>;
  /** The workloads that some records of one namespace are about. */
  recordedBy(records: readonly RoomRef[]): Promise<RecordedWorkloads>;
  /** The workloads of these pods that are surged. */
  surgedAmong(pods: readonly Pod[]): Promise<readonly SurgedWorkload[]>;
  /** The annotations of a namespace. */
  namespaceWishes(namespace: string): Promise<Labels>;
  /** The claims that all pods of a workload share, how each may be used, and what its volume demands of a node. */
  volumesOf(
    workload: Workload,
  ): Promise<
    readonly (Pick<ReschedulablePod, "demands"> & Readonly<{ claim: string; modes: string[] }>)[]
  >;
  hosts(): Promise<readonly Host[]>;
  /** What the pods of a node ask for together; `unread` where others have made them very large. */
  asked(node: NodeName): Promise<Resources | "unread">;
  /** Writes unless somebody else has written the object since it was read. */
  write(step: Cheapen | RoomWrite): Promise<"changed" | "gone" | "written">;
}

/** The records of a cluster: few of each namespace, in which everybody who may write may set our label. */
export interface RoomRecords {
  readonly records: readonly RoomRef[];
  /** What was not looked at, and why. */
  readonly skipped: readonly Note[];
}

/** What others have written is judged one by one: what cannot be read is left out, and stops nothing else. */
export interface RecordedWorkloads {
  readonly workloads: readonly Workload[];
  /** What was left out, and why. */
  readonly skipped: readonly Note[];
}

/** How many pods of DaemonSets a node should have, and has ready. */
export interface DaemonPods {
  readonly wanted: number;
  readonly ready: number;
}

/** The nodes of a group, and what the cluster says about how it bears the upgrade. */
export interface GroupNodes {
  /** All nodes of the cluster; those whose provider ID names no EC2 instance have an empty `instance`. */
  all(): Promise<readonly MachineNode[]>;
  /** The nodes of these instances, without their pods; instances without a node are left out. A node without a provider ID is known by its name. */
  nodesOf(instances: readonly InstanceId[]): Promise<readonly MachineNode[]>;
  /** The pods on each of these nodes that a drain would evict. */
  podCounts(nodes: readonly NodeName[]): Promise<ReadonlyMap<NodeName, number>>;
  /** All nodes with what is asked of them, and the pods of these instances. */
  nodeInfos(instances: readonly InstanceId[]): Promise<readonly NodeInfo<MachineNode>[]>;
  daemonPods(node: NodeName): Promise<DaemonPods>;
  /** The addresses of the pods on these nodes. */
  podAddresses(nodes: readonly NodeName[]): Promise<readonly string[]>;
  /** How many pods wait for a node. */
  pendingPods(): Promise<number>;
  /** The version of the API server, such as `v1.33.4`. */
  version(): Promise<string>;
  /** Whether a node answers a GET at this URL with 200. */
  answers(url: string): Promise<boolean>;
}

export interface EventToRecord {
  /** The same for all Events that tell the same of the same drain. */
  readonly key: string;
  readonly namespace: string;
  /** The Event without its name. */
  readonly body: object;
}

/** What became of an Event: one to create may be there already, and one to change may be absent. */
export type RecordedEvent = "absent" | "recorded" | "there";

/** Records Events in the cluster, where `kubectl describe` shows them. */
export interface EventRecorder {
  record(event: EventToRecord, as: "change" | "new"): Promise<RecordedEvent>;
}

/** The objects of a cluster that give access to it; several deployments may want the same. */
export interface AccessObjects {
  /** Creates an object or brings it up to date, and says which of the two it did. */
  apply(object: ClusterObject): Promise<"changed" | "created">;
  /** Writes this deployment as an owner of an object. */
  own(object: ClusterObject): Promise<"owned" | "gone">;
  /** Removes this deployment from the owners, and leaves the object. */
  disown(object: ClusterObject): Promise<void>;
  /** Removes this deployment from the owners, and the object with it unless another deployment owns it. */
  remove(object: ClusterObject): Promise<void>;
}
