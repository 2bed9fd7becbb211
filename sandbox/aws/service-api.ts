import type { Operation } from "./operation.ts";
import type { RefusalCodes } from "./refusals.ts";
import type { Protocol } from "./wire/wire.ts";

/** A service as it is spoken to. */
export interface ServiceApi {
  /** What requests to it are signed for, such as `autoscaling`. */
  readonly signingName: string;
  readonly protocol: Protocol;
  readonly codes: RefusalCodes;
  readonly operations: readonly Operation[];
}
