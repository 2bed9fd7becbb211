import {
  between,
  type Duration,
  type Instant,
  later,
  latest,
  milliseconds,
  minutes,
  never,
  seconds,
  shortest,
} from "../base/time.ts";
import { boundsFrom, type DrainBounds } from "../drain/drain-bounds.ts";
import type { DrainSettings } from "../drain/drain-policy.ts";
import type { EventSettings } from "./interruption-policy.ts";
import type { MaintenanceTrace } from "./maintenance-trace.ts";

/** When the drain for planned work begins: a lead time before the work, or when the function first heard of it. */
export const drainFrom = (
  { startTime, heard }: Pick<MaintenanceTrace, "startTime" | "heard">,
  lead: Duration,
): Instant => latest(later(startTime, milliseconds(-lead)), heard);

/**
 * The rest of a notice until its drain begins. SQS counts in whole seconds, so less than one is no
 * rest.
 */
export function restBefore(
  trace: Pick<MaintenanceTrace, "startTime" | "heard">,
  { maintenanceLead: lead }: Pick<EventSettings, "maintenanceLead">,
  now: Instant,
): Duration {
  const wait = between(now, drainFrom(trace, lead));
  return wait < seconds(1) ? seconds(0) : wait;
}

/** Whether the node of such traces has to be empty soon. */
export const isDue = (traces: readonly MaintenanceTrace[], lead: Duration, now: Instant): boolean =>
  traces.some((trace) => trace.startTime < never && drainFrom(trace, lead) <= now);

const longestRest = minutes(4);

/**
 * The bounds of a drain for planned work: its pods are gone and their volumes detached when the work begins.
 *
 * Work that had begun before the function heard of it may take the instance at any moment, or never. Then the drain has
 * the time that any drain has.
 */
export function maintenanceBounds(
  trace: Pick<MaintenanceTrace, "startTime" | "heard">,
  {
    lead,
    timeout,
    volumeTimeout,
  }: Pick<DrainSettings, "timeout" | "volumeTimeout"> & { readonly lead: Duration },
): DrainBounds {
  const begun = drainFrom(trace, lead);
  const isLate = begun >= trace.startTime;
  const held = isLate ? milliseconds(timeout + volumeTimeout) : between(begun, trace.startTime);
  const volumes = shortest(volumeTimeout, milliseconds(held / 2));
  const toDeadline = isLate ? timeout : milliseconds(held - volumes);
  return boundsFrom(begun, { toDeadline, toHeldUntil: held, longestRest, leastTry: minutes(1) });
}
