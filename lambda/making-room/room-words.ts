import { someOf } from "../base/counted.ts";
import { between, type Instant, spoken } from "../base/time.ts";
import type { RoomWait } from "./next-room-step.ts";
import { type RoomRefusal, refusalWords } from "./room-refusal.ts";
import { type Workload, workloadTitle } from "./workload.ts";

/** How far the room for a pod is. */
export type RoomStanding =
  | { readonly kind: "nothing" }
  | { readonly kind: "refused"; readonly refusal: RoomRefusal }
  | { readonly kind: "in vain"; readonly why: string }
  | ({ readonly kind: "waits"; readonly workload: Workload } & RoomWait);

/** Whether the pod is not to be asked to go, because another one comes or its ReplicaSet is about to end it. */
export const isAwaited = (standing: RoomStanding): boolean =>
  standing.kind === "waits" && (standing.record !== "none" || standing.surplus);

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
    case "waits":
      return waitingWords(standing, now);
  }
}

type Waiting = Extract<RoomStanding, { readonly kind: "waits" }>;

function waitingWords({ workload, for: pods, record }: Waiting, now: Instant): string {
  const title = workloadTitle(workload);
  if (record === "none") return `room is made once all pods of ${title} are ready`;
  const waited = spoken(between(record.since, now));
  const awaited = pods.length === 0 ? "" : `, waiting for ${someOf(pods)} to be ready`;
  return `making room: ${title} ${record.was} → ${record.is}${awaited}, ${waited}`;
}
