import { between, hours, type Instant } from "../time.ts";
import { tryOwnTime } from "./begun-at.ts";
import type { Launching } from "./notice.ts";

/**
 * From when on a launch's time counts: the notice's own time, which no crash and no redelivery moves.
 *
 * Where that cannot be true, as of a saved event that is sent again, the time counts at which the machine was
 * started, unless that is older than any hold.
 */
export function launchBegun(notice: Launching, launched: Instant, now: Instant): Instant {
  const lasting = between(launched, now) > hours(48) ? now : launched;
  return tryOwnTime(notice, now) ?? lasting;
}
