import type { NodeName } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import type { Budget } from "../drain/budget.ts";
import type { CordonedNode, DrainPorts } from "../drain/drain.port.ts";
import type { Host } from "../drain/node-info.ts";
import type { Pod } from "../drain/pod.ts";
import type { ReschedulablePod } from "../drain/reschedulable-pod.ts";
import type { Resources } from "../drain/resources.ts";
import type { Note } from "../notice/outcome.ts";
import type { EndingPod, RoomWrite } from "./room-step.ts";
import type { Replica, RoomRef, Workload, WorkloadMetadata } from "./workload.ts";

/** Workloads whose pods may be made elsewhere before they are let go, and the nodes that may take those. */
export interface Workloads {
  /** The workload that made a pod, or the kind of what cannot have more pods. */
  ownerOf(pod: Pod): Promise<Workload | string>;
  /** Reads a workload again, and the autoscalers that it is known to have; all of its namespace where none are given. */
  reload(
    workload: Partial<Pick<Workload, "scalers">> &
      Pick<Workload, "kind" | "name" | "namespace" | "uid">,
  ): Promise<Workload | "gone">;
  /** The pods of a workload; or why nobody reads them, where others have made them very large. */
  replicasOf(workload: Workload): Promise<readonly Replica[] | string>;
  /** Pods of others that a budget of a workload selects, the first few; or why nobody knows them. */
  othersUnder(budget: Budget, workload: Workload): Promise<readonly Pod[] | string>;
  /** Everything at which a change of ours is recorded. */
  records(): Promise<RoomRecords>;
  /** The workloads that some records of one namespace are about. */
  recordedBy(records: readonly RoomRef[]): Promise<RecordedWorkloads>;
  /** The workload that made a pod, by its metadata alone; `unread` where nobody reads it within seconds. */
  makerOf(pod: Pod): Promise<WorkloadMetadata | "none" | "unread">;
  /** The annotations of a namespace. */
  namespaceWishes(namespace: string): Promise<Labels>;
  /** The claims that all pods of a workload share, how each may be used, and what its volume demands of a node. */
  volumesOf(
    workload: Workload,
  ): Promise<
    readonly (Pick<ReschedulablePod, "demands"> & Readonly<{ claim: string; modes: string[] }>)[]
  >;
  hosts(): Promise<readonly Host[]>;
  /**
   * The sum of the requests of a node's pods; `unread` where others have made the pods very large.
   */
  asked(node: NodeName): Promise<Resources | "unread">;
  /** Writes unless somebody else has written the object since it was read. */
  write(change: EndingPod | RoomWrite): Promise<"changed" | "gone" | "written">;
}

/**
 * The workloads with a record, judged one by one: an unreadable one is left out, and stops no
 * other.
 */
export interface RecordedWorkloads {
  readonly workloads: readonly Workload[];
  /** The left-out workloads, with reasons. */
  readonly skipped: readonly Note[];
}

/** The records of a cluster: few of each namespace, in which everybody who may write may set our label. */
export interface RoomRecords {
  readonly records: readonly RoomRef[];
  /** The workloads that were not looked at, with reasons. */
  readonly skipped: readonly Note[];
}

/** The nodes of a cluster as they were within the last second. */
export interface RoomNodes {
  readonly cordoned: readonly CordonedNode[];
  /** All nodes, read after those that are cordoned, and once. */
  hosts(): Promise<readonly Host[]>;
}

/** The cluster in which room is made. */
export interface RoomCluster {
  nodes(): Promise<RoomNodes>;
  /** The workloads whose pods are made elsewhere first; most drains need none. */
  workloads(): Promise<Workloads>;
}

/** The outside world of making room. */
export interface RoomPorts extends Pick<DrainPorts, "clock" | "journal"> {
  readonly cluster: RoomCluster;
}
