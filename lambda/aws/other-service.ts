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

const atEndpoint = {
  Endpoint: { type: "builtInParams", name: "endpoint" },
  Region: { type: "builtInParams", name: "region" },
} as const;

const builder = makeBuilder<EKSClient["config"], ServiceInputTypes, ServiceOutputTypes>(
  atEndpoint,
  "OtherService",
  "OtherServiceClient",
  getEndpointPlugin,
);

/** Makes the command of an operation, which is described as the SDK's clients describe theirs. */
export const otherCommand = <Asked extends object, Answered extends MetadataBearer>(
  schema: StaticOperationSchema,
) => builder<Asked, Answered>({}, () => [], schema[2], schema);

/** A service whose client the registry of this product's packages has not, or only of an older generation: see decision 48. */
export interface OtherService {
  /** The name in its endpoint and in signatures. */
  readonly name: string;
  /** The name by which `AWS_ENDPOINT_URL_…` calls it. */
  readonly id: string;
}

/** A client for a service that speaks the protocol of EKS: that of EKS, at the other endpoint. */
export function otherClient(
  { name, id }: OtherService,
  region: string,
  options: EKSClientConfig,
): EKSClient {
  const usual = `https://${name}.${region}.${partition(region).dnsSuffix}`;
  const signing = { signingName: name, signingRegion: region, properties: {} };
  const properties = { authSchemes: [{ name: "sigv4", ...signing }] };
  return new EKSClient({
    ...options,
    region,
    serviceId: id,
    endpointProvider: (given) => ({ url: new URL(given.Endpoint ?? usual), properties }),
  });
}
