import type { Budget } from "../drain/budget.ts";
import type { Pod } from "../drain/pod.ts";
import type { RoomChange } from "../drain/room-entry.ts";
import type { lowestCost, RoomRecord, unneededCost } from "./record.ts";
import type { RoomState } from "./room-refusal.ts";
import type { Replica, Scaler, Workload } from "./workload.ts";

/** The part of a change that is reported. */
export type ReportedChange = Pick<RoomChange, "from" | "stage" | "to" | "why">;

/** Writes a record to a workload or its autoscaler, or takes it away, and with it the count or the least count. */
export interface RoomWrite {
  readonly kind: "write";
  readonly to: Scaler | Workload;
  readonly record: RoomRecord | "none";
  readonly count: number | "as it is";
  readonly change: ReportedChange | "nothing";
}

/** A pod, and the cost that makes a ReplicaSet end it before others. */
export interface EndingPod {
  readonly pod: Pod;
  readonly cost: typeof lowestCost | typeof unneededCost;
}

/** Makes a ReplicaSet that needs fewer pods end these first. */
export interface SetDeletionCosts {
  readonly kind: "cheapen";
  readonly pods: readonly EndingPod[];
  /** Whether the count goes back even if this fails. */
  readonly mayFail: boolean;
}

/**
 * The next step for a workload. Each request may be the last one of its process.
 */
export type RoomStep =
  | RoomState
  | SetDeletionCosts
  | RoomWrite
  /** Surge it by these pods that a drain displaces, as far as nodes take them, and their budgets select no pods of others. */
  | {
      readonly kind: "surge";
      readonly pods: readonly Replica[];
      readonly budgets: readonly Budget[];
      readonly record: RoomRecord;
    };

/** A write that is not reported. */
export const write = (
  to: RoomWrite["to"],
  record: RoomWrite["record"],
  count: RoomWrite["count"],
): RoomWrite => ({ kind: "write", to, record, count, change: "nothing" });

/** Notes at a workload what is about to change; without an autoscaler it gets the count too. */
export const surged = (workload: Workload, record: RoomRecord): RoomWrite => ({
  ...write(workload, record, workload.scalers.length === 0 ? record.is : "as it is"),
  change: { stage: "surged", from: record.was, to: record.is, why: record.why },
});
