import type { Operation } from "./operation.ts";
import type { RefusalCodes } from "./refusals.ts";
import type { Protocol } from "./wire.ts";

/** The API of a service: its protocol, its error codes and its operations. */
export interface ServiceApi {
  /** The service name in the signatures of requests, such as `autoscaling`. */
  readonly signingName: string;
  readonly protocol: Protocol;
  readonly codes: RefusalCodes;
  readonly operations: readonly Operation[];
}
