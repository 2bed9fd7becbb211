import { AwsError } from "../aws-error.ts";
import { type Operation, type OperationSchema, operation } from "../operation.ts";
import { page } from "../page.ts";
import type { ZonalShift, ZonalShifts } from "./zonal-shifts.ts";

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
  operation<ListZonalShiftsRequest, object>(listZonalShifts, {
    permissions: () => [{ action: "arc-zonal-shift:ListZonalShifts", resource: "*" }],
    run: (request) => list(shifts, request),
  }),
];
