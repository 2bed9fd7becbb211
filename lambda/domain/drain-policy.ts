import type { GroupName } from "./ids.ts";
import type { Duration } from "./time.ts";

/** How this deployment drains. */
export interface DrainPolicy {
  /** The Auto Scaling groups whose instances may be touched. */
  readonly managed: readonly GroupName[];
  /** How long a drain may take, from the notice's own time. */
  readonly timeout: Duration;
  /** How long after the mark an empty node is not yet believed. */
  readonly settle: Duration;
  /** How long one pass works before it hands the notice back. */
  readonly pass: Duration;
}
