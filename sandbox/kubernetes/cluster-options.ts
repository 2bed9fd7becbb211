import type { Duration } from "../../lambda/base/time.ts";
import type { Authenticator } from "./api/authenticator.ts";
import type { Authorizer } from "./api/authorizer.ts";

/** How a cluster differs from the usual one. */
export interface ClusterOptions {
  /** The seed of random names, UIDs and everything else that is random. @default 1 */
  readonly seed?: number;
  /** How long a controller takes to notice a change. @default 100 ms */
  readonly reaction?: Duration;
  /** The time from a pod's binding to the start of its first container. @default 1 s */
  readonly podStart?: Duration;
  /** How long a kubelet may be silent before its node becomes unknown. @default 40 s */
  readonly monitorGrace?: Duration;
  /** How far back watches and lists may go. @default 5 minutes */
  readonly history?: Duration;
  /** @default everybody with a token is the administrator */
  readonly authenticator?: Authenticator;
  /** @default everything is allowed */
  readonly authorizer?: Authorizer;
}
