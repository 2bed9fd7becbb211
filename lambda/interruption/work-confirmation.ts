import {
  between,
  type Duration,
  earliest,
  hours,
  type Instant,
  instant,
  later,
  latest,
  longest,
  milliseconds,
  minutes,
  never,
  shortest,
} from "../base/time.ts";
import type { Maintenance } from "./event-notice.ts";
import { drainFrom } from "./maintenance-bounds.ts";

/** EC2's schedule for the work that a Health event announces. */
export type Confirmation =
  | { readonly kind: "confirmed" }
  /** Not yet: EC2 is asked again then. */
  | { readonly kind: "unconfirmed"; readonly wait: Duration }
  | { readonly kind: "untrue" };

// Health and EC2 name the same time. The day is for what moves between the two, and all that an untrue event can hasten.
const apart = hours(24);
// A later date than the node has would put off its drain until EC2's own date is past.
const sameTime = minutes(1);
// Far longer than EC2's answers lag behind.
const longestLag = hours(1);
// AWS announces no work so early. A notice waits until its date, and somebody may write any.
const longestAhead = hours(366 * 24);

/** A Health event's times, EC2's schedule of one of its instances, and how long before the work its drain begins. */
export interface AnnouncedWork extends Pick<Maintenance, "since" | "startTime"> {
  /** When the events begin that EC2 has scheduled. */
  readonly scheduled: readonly Instant[];
  /** The date that the node has for the same work; `never` for none. */
  readonly before: Instant;
  readonly lead: Duration;
  readonly now: Instant;
}

/** Compares a Health event with EC2's schedule, which nobody but AWS writes. */
export function confirmation(work: AnnouncedWork): Confirmation {
  const { since, startTime, scheduled, before, now } = work;
  if (startTime > later(now, longestAhead)) return { kind: "untrue" };
  const least = before < startTime ? later(startTime, milliseconds(-sameTime)) : instant(0);
  const first = earliest(never, ...scheduled.filter((at) => at >= least));
  if (first <= later(latest(startTime, now), apart)) return { kind: "confirmed" };
  const known = first < never ? [first] : [];
  const ends = latest(later(latest(startTime, since), longestLag), ...known);
  return now < ends
    ? { kind: "unconfirmed", wait: shortest(waitOf(work), between(now, ends)) }
    : { kind: "untrue" };
}

/** EC2 is asked at growing intervals, and when the drain would begin. */
function waitOf({ since, startTime, lead, now }: AnnouncedWork): Duration {
  const usual = longest(minutes(1), shortest(hours(12), between(since, now)));
  const from = drainFrom({ startTime, heard: since }, lead);
  return now < from ? shortest(usual, longest(milliseconds(1000), between(now, from))) : usual;
}
