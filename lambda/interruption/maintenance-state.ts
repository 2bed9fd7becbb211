import { type Instant, never, timestamp } from "../base/time.ts";
import type { Maintenance } from "./event-notice.ts";
import type { MaintenanceTrace } from "./maintenance-trace.ts";

/** The meaning of a notice of planned work for the node of an affected instance. */
export type MaintenanceState =
  /** The node lacks this notice, or has an older one. */
  | { readonly kind: "news" }
  /** The node has the same notice, and the id of the notice that waits for the maintenance. */
  | { readonly kind: "known"; readonly trace: MaintenanceTrace }
  /** The node has a later notice. */
  | { readonly kind: "outdated"; readonly trace: MaintenanceTrace };

/** When the work begins according to a notice; `never` if AWS has called it off. */
const plannedStart = ({ status, startTime }: Maintenance): Instant =>
  status === "closed" ? never : startTime;

/** Compares a notice with the node's trace of its Health event. Notices may arrive in any order, and repeatedly. */
export function maintenanceStateOf(
  notice: Maintenance,
  traces: readonly MaintenanceTrace[],
): MaintenanceState {
  const trace = traces.find(({ event }) => event === notice.event);
  if (trace === undefined) return { kind: "news" };
  const startTime = plannedStart(notice);
  if (trace.startTime === startTime) return { kind: "known", trace };
  // Of two notices of the same second, the one that begins sooner counts.
  const isLater =
    notice.since > trace.told || (notice.since === trace.told && startTime < trace.startTime);
  return isLater ? { kind: "news" } : { kind: "outdated", trace };
}

/** The new trace of the node. A notice with this id waits for the maintenance. */
export const traceOf = (
  notice: Maintenance,
  { waiting, now }: { readonly waiting: string; readonly now: Instant },
): MaintenanceTrace => ({
  event: notice.event,
  startTime: plannedStart(notice),
  told: notice.since,
  heard: now,
  waiting,
});

/** Why a notice of one instance does not wait for the work; `undefined` when it does. */
export function tryWhyNotWaiting(
  { id }: Maintenance,
  standing: MaintenanceState,
): string | undefined {
  switch (standing.kind) {
    case "news":
      return undefined;
    case "known":
      return standing.trace.waiting === id
        ? undefined
        : `another notice of Health event ${standing.trace.event} waits already`;
    case "outdated":
      return standing.trace.startTime === never
        ? `Health event ${standing.trace.event} is closed`
        : `Health event ${standing.trace.event} now begins at ${timestamp(standing.trace.startTime)}`;
  }
}

/** Whether the node of an instance in this lifecycle state is drained for planned work: it is not in the warm pool, nor on its way out of the group. */
export const isDrainedFor = (state: string): boolean => !/^(?:Warmed:|Terminat|Detach)/.test(state);
