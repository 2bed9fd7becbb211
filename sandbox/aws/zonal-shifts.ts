import { type Duration, hours, type Instant, later } from "../../lambda/base/time.ts";
import type { Timeline } from "../timeline.ts";
import { AwsError } from "./aws-error.ts";
import { type Operation, type OperationSchema, operation } from "./operation.ts";
import { page } from "./page.ts";

/**
 * The id of a zone, such as `euw1-az2` for `eu-west-1a`. In each account a letter means another zone, so here `a` is not 1.
 *
 * @see https://docs.aws.amazon.com/ram/latest/userguide/working-with-az-ids.html
 */
export function zoneId(zone: string): string {
  const [area = "", ...sides] = zone.slice(0, -1).split("-");
  const short = sides.map((side) => side.replace(/^(north|south)?(.).*$/, initials));
  const place = (zone.charCodeAt(zone.length - 1) - "a".charCodeAt(0) + 1) % 6;
  return `${area}${short.join("")}-az${place + 1}`;
}

const initials = (_: string, pole = "", side = ""): string => `${pole.slice(0, 1)}${side}`;

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

  /** Those of some zones that the traffic of a resource is not shifted away from. */
  open(resource: string, zones: readonly string[]): readonly string[] {
    const away = this.active().filter((one) => one.resource === resource);
    return zones.filter((zone) => !away.some(({ awayFrom }) => awayFrom === zoneId(zone)));
  }

  /** Those that have not expired. */
  active(): readonly ZonalShift[] {
    return this.#shifts.filter(({ expiresAt }) => expiresAt > this.#timeline.now());
  }
}

const model = "com.amazonaws.arczonalshift";
const query = (httpQuery: string) => ({ httpQuery });

/**
 * The model of ListZonalShifts, in the form of the SDK's own.
 *
 * @see https://docs.aws.amazon.com/arc-zonal-shift/latest/api/API_ListZonalShifts.html
 */
const listZonalShifts: OperationSchema = [
  9,
  model,
  "ListZonalShifts",
  { http: ["GET", "/zonalshifts", 200] },
  () => [
    3,
    model,
    "ListZonalShiftsRequest",
    0,
    ["nextToken", "status", "maxResults", "resourceIdentifier"],
    [
      [0, query("nextToken")],
      [0, query("status")],
      [1, query("maxResults")],
      [0, query("resourceIdentifier")],
    ],
  ],
  "unit",
];

interface ListZonalShiftsRequest {
  readonly nextToken?: string;
  readonly status?: string;
  readonly maxResults?: number;
  readonly resourceIdentifier?: string;
}

const wireShift = ({ id, awayFrom, resource, startedAt, expiresAt }: ZonalShift) => ({
  zonalShiftId: id,
  resourceIdentifier: resource,
  awayFrom,
  startTime: new Date(startedAt),
  expiryTime: new Date(expiresAt),
  status: "ACTIVE",
  comment: "",
  shiftType: "ZONAL_SHIFT",
});

function list(shifts: ZonalShifts, request: ListZonalShiftsRequest) {
  const { status = "ACTIVE", maxResults: size = 100, resourceIdentifier: resource } = request;
  if (!["ACTIVE", "CANCELED", "EXPIRED"].includes(status) || size < 1 || size > 100)
    throw new AwsError("ValidationException", "The input fails to satisfy the constraints.");
  const wanted = shifts
    .active()
    .filter((one) => status === "ACTIVE" && one.resource === (resource ?? one.resource));
  const { items, next } = page(wanted, { size, token: request.nextToken });
  return { items: items.map(wireShift), nextToken: next };
}

/** The operation of zonal shifts that the sandbox supports. */
export const zonalShiftOperations = (shifts: ZonalShifts): readonly Operation[] => [
  operation<ListZonalShiftsRequest>("arc-zonal-shift", listZonalShifts, (request) =>
    list(shifts, request),
  ),
];
