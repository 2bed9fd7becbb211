import type { InstanceId, NodeName } from "../domain/ids.ts";
import type { Attachment } from "../domain/node/attachment.ts";
import type { Marking, Unmarking } from "../domain/node/marking.ts";
import type { Node } from "../domain/node/node.ts";
import type { Budget } from "../domain/pod/budget.ts";
import type { Eviction, Grace } from "../domain/pod/eviction.ts";
import type { Pod, PodLookup } from "../domain/pod/pod.ts";
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
  mark(node: Node, marking: () => Marking): Promise<NodeWrite>;
  /** All nodes of the cluster. */
  nodes(): Promise<readonly Node[]>;
  /** Takes a mark back if nobody wrote the node since it was read. */
  unmark(node: Node, unmarking: Unmarking): Promise<NodeWrite>;
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
  lookUp(pod: Pod): Promise<PodLookup>;
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
export type NodeWrite = "marked" | "changed" | "gone";
