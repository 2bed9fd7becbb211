import type { NodeName } from "./ids.ts";
import type { Platform } from "./node-mapping.ts";
import type { Instant } from "./time.ts";

/** The machine behind a node. */
export interface Machine {
  /** The names under which its node may register. */
  readonly names: readonly NodeName[];
  readonly platform: Platform;
  /** The ARN of its instance profile; empty without one. */
  readonly profile: string;
  readonly launched: Instant;
}
