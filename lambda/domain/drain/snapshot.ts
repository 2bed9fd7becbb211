import type { Budget } from "../pod/budget.ts";
import type { Grace } from "../pod/eviction.ts";
import type { Pod } from "../pod/pod.ts";
import type { Duration, Instant } from "../time.ts";
import type { Ledger } from "./ledger.ts";
import type { Scene } from "./pod-class.ts";

/** A node under drain, as this pass sees it. */
export interface Snapshot extends Scene {
  readonly deadline: Instant;
  /** When all pods of the node were last listed, not only followed. */
  readonly listed: Instant;
  readonly pods: readonly Pod[];
  readonly budgets: readonly Budget[];
  readonly ledger: Ledger;
  readonly volumes: Volumes;
}

/** What a drain does next. */
export type Step =
  | { readonly kind: "finish"; readonly outcome: "drained" | "expired" }
  /** Nothing is left as far as is known: list once more to be certain. */
  | { readonly kind: "list" }
  /** No pod is waited for any more: find out which volumes are still attached. */
  | { readonly kind: "read volumes" }
  /** Ask for these, if any, and look again then at the latest, or as soon as something changes. */
  | ({ readonly kind: "ask" } & PodRequests);

/** What to ask for now, and when to look again. */
export interface PodRequests {
  readonly requests: readonly PodRequest[];
  readonly recheck: Instant;
}

/** A request that is to be made for a pod. */
export type PodRequest =
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

/** What is known of the volumes that drained pods leave behind. */
export type Volumes =
  /** The pods had none. */
  | { readonly kind: "none" }
  /** Nobody has looked yet. */
  | { readonly kind: "unread" }
  | {
      readonly kind: "read";
      /** The PersistentVolumes that are not detached yet. */
      readonly attached: readonly string[];
      /** Until when they are waited for. */
      readonly until: Instant;
    };
