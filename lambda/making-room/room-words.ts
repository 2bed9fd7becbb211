import { someOf } from "../base/counted.ts";
import { between, type Instant, spoken } from "../base/time.ts";
import type { RoomStanding } from "./next-room-step.ts";
import { type RoomRecord, tryRecord } from "./record.ts";
import { refusalWords } from "./room-refusal.ts";
import { type Workload, workloadTitle } from "./workload.ts";

/** Whether the pod is not to be asked to go, because another one comes or its ReplicaSet is about to end it. */
export const isAwaited = (standing: RoomStanding): boolean =>
  standing.kind === "wait" && (standing.surplus || trySurge(standing.workload) !== undefined);

/** What a workload says of its surge; `undefined` where it has none. */
export function trySurge({ annotations }: Workload): RoomRecord | undefined {
  const record = tryRecord(annotations);
  return record?.phase === "up" ? record : undefined;
}

/** Says how far the room for a pod is; empty where there is nothing to say. */
export function standingWords(standing: RoomStanding, now: Instant): string {
  switch (standing.kind) {
    case "nothing":
      return "";
    case "refused": {
      const { refusal } = standing;
      const isAsked =
        refusal.kind !== "off" || refusal.by === "namespace" || refusal.by === "workload";
      return isAsked ? `no room is made: ${refusalWords(refusal)}` : "";
    }
    case "in vain":
      return `no room was made: ${standing.why}`;
    case "wait": {
      const title = workloadTitle(standing.workload);
      const record = trySurge(standing.workload);
      if (record === undefined) return `room is made once all pods of ${title} are ready`;
      const { for: pods } = standing;
      const awaited = pods.length === 0 ? "" : `, waiting for ${someOf(pods)} to be ready`;
      const waited = spoken(between(record.since, now));
      return `making room: ${title} ${record.was} → ${record.is}${awaited}, ${waited}`;
    }
  }
}
