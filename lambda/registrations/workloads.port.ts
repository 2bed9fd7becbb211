import type { Labels } from "../base/labels.ts";
import type { Pod } from "../drain/pod.ts";
import type { RoomRecord } from "../making-room/record.ts";
import type { Replica, Scaler, Workload } from "../making-room/workload.ts";

/** What made a pod: a Deployment, or something else. */
export type Maker =
  | { readonly kind: "workload"; readonly workload: Workload }
  | { readonly kind: "other"; readonly type: string };

/** The result of a change; `changed` means that somebody else has written the object since it was read. */
export type Rescaling = "changed" | "gone" | "written";

/** A volume claim that can be at one node only. */
export interface OneNodeClaim {
  readonly claim: string;
  readonly mode: string;
}

/** Deployments whose pods may be made elsewhere before they are let go. */
export interface Workloads {
  /** What made a pod, as it is now. */
  makerOf(pod: Pod): Promise<Maker>;
  /** A workload as it is now. */
  again(workload: Workload): Promise<Workload | "gone">;
  /** The pods of a workload. */
  replicasOf(workload: Workload): Promise<readonly Replica[]>;
  /** Every workload at which a change of ours is recorded, or whose autoscaler has such a record. */
  recorded(): Promise<readonly Workload[]>;
  /** The annotations of a namespace. */
  namespaceWishes(namespace: string): Promise<Labels>;
  /** A claim of a workload that no pod on another node could use, if there is one. */
  oneNodeClaim(workload: Workload): Promise<OneNodeClaim | "none">;
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
