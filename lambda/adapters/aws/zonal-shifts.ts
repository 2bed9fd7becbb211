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
import type { ZonalShifts } from "../../ports/repairs.ts";
import { told } from "./aws-fault.ts";

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

/**
 * The zonal shifts and autoshifts of an account in a Region. The SDK has a client for them that the registry of this product's
 * packages does not have, so they are asked for by the client of EKS, which speaks the same protocol.
 */
export class ArcZonalShifts implements ZonalShifts {
  readonly #client: EKSClient;

  constructor(region: string, options: EKSClientConfig) {
    const usual = `https://${service}.${region}.${partition(region).dnsSuffix}`;
    const signingProperties = { name: service, region };
    const withContext = (config: object, context: object) => ({
      signingProperties: { config, context },
    });
    const scheme = { schemeId: "aws.auth#sigv4", signingProperties };
    this.#client = new EKSClient({
      ...options,
      region,
      serviceId: "ARC Zonal Shift",
      endpointProvider: (given) => ({ url: new URL(given.Endpoint ?? usual) }),
      httpAuthSchemeProvider: () => [{ ...scheme, propertiesExtractor: withContext }],
    });
  }

  away(): Promise<readonly string[]> {
    return told("listing zonal shifts", async () => {
      const zones = new Set<string>();
      let nextToken: string | undefined;
      do {
        const asked = new ListZonalShifts({ status: "ACTIVE", nextToken });
        const page = await this.#client.send(asked);
        for (const zone of zonesIn(page.items)) zones.add(zone);
        nextToken = page.nextToken;
      } while (nextToken !== undefined && nextToken !== "");
      return [...zones];
    });
  }
}

const zonesIn = (items: unknown): readonly string[] =>
  Array.isArray(items)
    ? items.map((item) => Object(item).awayFrom).filter((zone) => typeof zone === "string")
    : [];
