import type { Grace } from "../pod/eviction.ts";
import type { Pod } from "../pod/pod.ts";
import type { Duration, Instant } from "../time.ts";

/** A request that is to be made for a pod. */
export type Asking =
  | {
      readonly verb: "evict";
      readonly pod: Pod;
      readonly grace: Grace;
      /** The version of the budget that was believed; empty without one. */
      readonly budgetVersion: string;
    }
  /** By force: budgets and protections are not asked. */
  | {
      readonly verb: "delete";
      readonly pod: Pod;
      readonly grace: Duration;
      readonly budgetVersion: "";
    };

/** A request, and when it is due. */
export interface Plan {
  readonly asking: Asking;
  readonly at: Instant;
}
