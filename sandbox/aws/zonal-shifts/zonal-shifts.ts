import { type Duration, hours, type Instant, later } from "../../../lambda/base/time.ts";
import type { Timeline } from "../../timeline.ts";
import { zoneId } from "../zone-id.ts";

/** Traffic that somebody, or AWS itself, moves away from a zone. */
export interface ZonalShift {
  readonly id: string;
  /** The id of the zone, such as `euw1-az2`. */
  readonly awayFrom: string;
  /** The ARN of the cluster, group or load balancer that it is about. */
  readonly resource: string;
  readonly startedAt: Instant;
  readonly expiresAt: Instant;
}

/** The zonal shifts of an account. */
export class ZonalShifts {
  readonly #timeline: Timeline;
  #shifts: readonly ZonalShift[] = [];

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  /** Shifts the traffic of a resource away from a zone, given by its name. */
  start(resource: string, zone: string, lasts: Duration = hours(12)): ZonalShift {
    const startedAt = this.#timeline.now();
    const number = String(this.#shifts.length + 1).padStart(12, "0");
    const id = `0c3f2a7e-0000-4000-8000-${number}`;
    const times = { startedAt, expiresAt: later(startedAt, lasts) };
    const shift = { id, awayFrom: zoneId(zone), resource, ...times };
    this.#shifts = [...this.#shifts, shift];
    return shift;
  }

  cancel(id: string): void {
    const now = this.#timeline.now();
    this.#shifts = this.#shifts.map((one) => (one.id === id ? { ...one, expiresAt: now } : one));
  }

  /** Those that have not expired. */
  active(): readonly ZonalShift[] {
    return this.#shifts.filter(({ expiresAt }) => expiresAt > this.#timeline.now());
  }
}
