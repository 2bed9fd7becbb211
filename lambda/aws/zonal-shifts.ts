import type { EKSClient, EKSClientConfig } from "@aws-sdk/client-eks";
import type { MetadataBearer, StaticOperationSchema } from "@smithy/types";
import type { ZonalShifts } from "../group-work/zonal-shifts.port.ts";
import { ask, assertAnswered } from "./aws-fault.ts";
import { otherClient, otherCommand } from "./other-service.ts";

const model = "com.amazonaws.arczonalshift";
const document = 15;

/** The operation as the SDK's clients describe theirs. @see https://docs.aws.amazon.com/arc-zonal-shift/latest/api/API_ListZonalShifts.html */
const listZonalShifts: StaticOperationSchema = [
  9,
  model,
  "ListZonalShifts",
  { http: ["GET", "/zonalshifts", 200] },
  () => [
    3,
    model,
    "ListZonalShiftsRequest",
    0,
    ["status", "nextToken"],
    [
      [0, { httpQuery: "status" }],
      [0, { httpQuery: "nextToken" }],
    ],
  ],
  () => [3, model, "ListZonalShiftsResponse", 0, ["items", "nextToken"], [document, 0]],
];

interface ListShiftsInput {
  readonly status: "ACTIVE";
  readonly nextToken: string | undefined;
}

interface ListShiftsOutput extends MetadataBearer {
  readonly items?: unknown;
  readonly nextToken?: string;
}

const ListZonalShifts = otherCommand<ListShiftsInput, ListShiftsOutput>(listZonalShifts);

/** Traffic that is moved away from a zone. */
export interface ZonalShift {
  /** The id of the zone, such as `euw1-az2`. */
  readonly awayFrom: string;
  /** The ARN of what is shifted, such as an Auto Scaling group. */
  readonly resource: string;
}

/** The zonal shifts of an account in a Region, with those autoshifts that the service lists among them. */
export class ArcZonalShifts implements ZonalShifts {
  readonly #client: EKSClient;

  constructor(region: string, options: EKSClientConfig) {
    const service = { name: "arc-zonal-shift", id: "ARC Zonal Shift" };
    this.#client = otherClient(service, region, options);
  }

  async away(): Promise<readonly string[]> {
    return [...new Set((await this.shifts()).map(({ awayFrom }) => awayFrom))];
  }

  /** All that are on. */
  shifts(): Promise<readonly ZonalShift[]> {
    return ask("listing zonal shifts", async (doing) => {
      const found: ZonalShift[] = [];
      let nextToken: string | undefined;
      do {
        const asked = new ListZonalShifts({ status: "ACTIVE", nextToken });
        const page = await this.#client.send(asked);
        if (page.items === undefined) assertAnswered(page, doing);
        found.push(...shiftsIn(page.items));
        nextToken = page.nextToken;
      } while (nextToken !== undefined && nextToken !== "");
      return found;
    });
  }
}

const shiftsIn = (items: unknown): readonly ZonalShift[] =>
  Array.isArray(items)
    ? items.flatMap((item) => {
        const { awayFrom, resourceIdentifier: resource } = Object(item);
        return typeof awayFrom === "string" ? [{ awayFrom, resource: String(resource) }] : [];
      })
    : [];
