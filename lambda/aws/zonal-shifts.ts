import {
  EKSClient,
  type EKSClientConfig,
  type ServiceInputTypes,
  type ServiceOutputTypes,
} from "@aws-sdk/client-eks";
import { partition } from "@aws-sdk/core/client";
import { makeBuilder } from "@smithy/core/client";
import { getEndpointPlugin } from "@smithy/core/endpoints";
import type { MetadataBearer, StaticOperationSchema } from "@smithy/types";
import type { ZonalShifts } from "../group/fleets.port.ts";
import { assertAnswered, told } from "./aws-fault.ts";

const service = "arc-zonal-shift";
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

interface Asked {
  readonly status: "ACTIVE";
  readonly nextToken: string | undefined;
}

interface Answered extends MetadataBearer {
  readonly items?: unknown;
  readonly nextToken?: string;
}

const atEndpoint = {
  Endpoint: { type: "builtInParams", name: "endpoint" },
  Region: { type: "builtInParams", name: "region" },
} as const;

const ListZonalShifts = makeBuilder<EKSClient["config"], ServiceInputTypes, ServiceOutputTypes>(
  atEndpoint,
  "PercDataPlane",
  "ARCZonalShiftClient",
  getEndpointPlugin,
)<Asked, Answered>({}, () => [], "ListZonalShifts", listZonalShifts);

/** Traffic that is moved away from a zone. */
export interface ZonalShift {
  /** The id of the zone, such as `euw1-az2`. */
  readonly awayFrom: string;
  /** The ARN of what is shifted, such as an Auto Scaling group. */
  readonly resource: string;
}

/**
 * The zonal shifts and autoshifts of an account in a Region. The SDK has a client for them that the registry of this product's
 * packages does not have, so they are asked for by the client of EKS, which speaks the same protocol.
 */
export class ArcZonalShifts implements ZonalShifts {
  readonly #client: EKSClient;

  constructor(region: string, options: EKSClientConfig) {
    const usual = `https://${service}.${region}.${partition(region).dnsSuffix}`;
    const signing = { signingName: service, signingRegion: region, properties: {} };
    const properties = { authSchemes: [{ name: "sigv4", ...signing }] };
    this.#client = new EKSClient({
      ...options,
      region,
      serviceId: "ARC Zonal Shift",
      endpointProvider: (given) => ({ url: new URL(given.Endpoint ?? usual), properties }),
    });
  }

  async away(): Promise<readonly string[]> {
    return [...new Set((await this.shifts()).map(({ awayFrom }) => awayFrom))];
  }

  /** All that are on. */
  shifts(): Promise<readonly ZonalShift[]> {
    return told("listing zonal shifts", async (doing) => {
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
