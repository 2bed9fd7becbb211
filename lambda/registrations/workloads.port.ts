import type { NodeName } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import type { Pod } from "../drain/pod.ts";
import type { Resources } from "../drain/resources.ts";
import type { NodeDemand } from "../drain/seeker.ts";
import type { RoomRecord } from "../making-room/record.ts";
import type { Host, Replica, Scaler, Workload } from "../making-room/workload.ts";

/** What made a pod: a workload that may have more pods, or something else. */
export type Maker =
  | { readonly kind: "workload"; readonly workload: Workload }
  | { readonly kind: "other"; readonly type: string };

/** The result of a change; `changed` means that somebody else has written the object since it was read. */
export type Rescaling = "changed" | "gone" | "written";

/** What the volumes of a workload demand of a node, or a claim that can be at one node only. */
export type VolumeDemands =
  | { readonly kind: "any"; readonly demands: readonly NodeDemand[] }
  | { readonly kind: "one-node"; readonly claim: string; readonly mode: string };

/** Workloads whose pods may be made elsewhere before they are let go, and the nodes that may take those. */
export interface Workloads {
  /** What made a pod, as it is now. */
  makerOf(pod: Pod): Promise<Maker>;
  /** A workload as it is now. */
  again(
    workload: Pick<Workload, "kind" | "name" | "namespace" | "uid">,
  ): Promise<Workload | "gone">;
  /** The pods of a workload. */
  replicasOf(workload: Workload): Promise<readonly Replica[]>;
  /** Every workload at which a change of ours is recorded, or whose autoscaler has such a record. */
  recorded(): Promise<readonly Workload[]>;
  /** The annotations of a namespace. */
  namespaceWishes(namespace: string): Promise<Labels>;
  /** What the volumes demand that all pods of a workload share. */
  volumeDemands(workload: Workload): Promise<VolumeDemands>;
  /** All nodes. */
  hosts(): Promise<readonly Host[]>;
  /** What the pods of a node ask for together. */
  askedOn(node: NodeName): Promise<Resources>;
  /** Writes a record to a workload, or takes it away, and with it the count unless that stays as it is. */
  rescale(
    workload: Workload,
    record: RoomRecord | "none",
    count: number | "as it is",
  ): Promise<Rescaling>;
  /** The same for the least count of an autoscaler. */
  raise(
    workload: Workload,
    scaler: Scaler,
    change: { readonly record: RoomRecord | "none"; readonly min: number | "as it is" },
  ): Promise<Rescaling>;
  /** Makes a ReplicaSet that needs fewer pods end this one first. */
  cheapen(pod: Pod): Promise<Rescaling>;
}
