import type { Duration } from "../../lambda/base/time.ts";
import type { Authenticator } from "./api/authenticator.ts";
import type { Authorizer } from "./api/authorizer.ts";

/** The options of a cluster. */
export interface ClusterOptions {
  /** The seed of random names, UIDs and everything else that is random. @default 1 */
  readonly seed?: number;
  /** The time until a controller notices a change. @default 100 ms */
  readonly reaction?: Duration;
  /** The time from a pod's binding to the start of its first container. @default 1 s */
  readonly podStart?: Duration;
  /** The longest silence of a kubelet before its node becomes unknown. @default 40 s */
  readonly monitorGrace?: Duration;
  /** The reach of watches and lists into the past. @default 5 minutes */
  readonly history?: Duration;
  /** @default everybody with a token is the administrator */
  readonly authenticator?: Authenticator;
  /** @default everything is allowed */
  readonly authorizer?: Authorizer;
}
