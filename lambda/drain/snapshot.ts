import type { PodUid } from "../base/ids.ts";
import type { Duration, Instant } from "../base/time.ts";
import type { Budget, BudgetAccounts } from "./budget.ts";
import type { Grace } from "./eviction.ts";
import type { Ledger } from "./ledger.ts";
import type { Pod } from "./pod.ts";
import type { Scene } from "./pod-class.ts";

/** A node under drain, as this pass sees it. */
export interface Snapshot extends Scene {
  /**
   * The share of a pod's grace that counts against its budget: less than all where the node has
   * hardly more time than that.
   */
  readonly budgetGrace: Duration;
  /** `missing` if the node could not be marked and is drained all the same. */
  readonly mark: "set" | "missing";
  /** When the drain could begin: its notice may have come late. A mark may be older, if its instance was at risk before. */
  readonly begun: Instant;
  readonly deadline: Instant;
  /** Until when what this pass requests may take: later than the deadline only if that had passed when the pass began. */
  readonly triesUntil: Instant;
  /** Until when another process has the eviction lease; a time that has passed where none has it. */
  readonly othersLease: Instant;
  /** When this pass last listed all pods of the node; changes that a watch reports do not count as a list. */
  readonly listed: Instant;
  readonly pods: readonly Pod[];
  readonly budgets: readonly Budget[];
  /** Why the budgets of some namespaces are not known: the API server alone judges evictions there. */
  readonly unread: ReadonlyMap<string, string>;
  readonly ledger: Ledger;
  /** The budget requests of all drains of this process. */
  readonly accounts: BudgetAccounts;
  readonly volumes: Volumes;
  /** Remarks on room that is made for a pod elsewhere. */
  readonly room: ReadonlyMap<PodUid, RoomNote>;
  /** The pods that were on the node when this pass last found its mark, or before. */
  readonly seenSinceMark: ReadonlySet<PodUid>;
}

/** The state of the room for a pod. */
export interface RoomNote {
  /** `awaited` while a pod comes up elsewhere, before which this one is not evicted. */
  readonly state: "awaited" | "none";
  readonly words: string;
}

/** The next step of a drain. */
export type Step =
  | { readonly kind: "finish"; readonly outcome: "drained" | "expired" }
  /** No pod holds the node as far as this pass knows: list the pods once more to be certain. */
  | { readonly kind: "list" }
  /** The drain waits for no pod any more: find out which volumes are still attached. */
  | { readonly kind: "read volumes" }
  /** Make these requests, if any. Look again as soon as something changes, at the latest at `recheck`. */
  | ({ readonly kind: "ask" } & DueRequests);

/** The requests to make now, and when to look again. */
export interface DueRequests {
  readonly requests: readonly PodRequest[];
  readonly recheck: Instant;
}

/** A request to evict or delete a pod. */
export type PodRequest =
  | {
      readonly verb: "evict";
      readonly pod: Pod;
      readonly grace: Grace;
      /** The version of the budget that the decision rests on; empty without a budget. */
      readonly budgetVersion: string;
    }
  /** By force: budgets and protections do not count. */
  | {
      readonly verb: "delete";
      readonly pod: Pod;
      readonly grace: Duration;
      readonly budgetVersion: "";
    };

/** The volumes of drained pods, as far as this pass knows them. */
export type Volumes =
  /** The pods had none. */
  | { readonly kind: "none" }
  /** This pass has not looked yet. */
  | { readonly kind: "unread" }
  | {
      readonly kind: "read";
      /** The PersistentVolumes that are not detached yet. */
      readonly attached: readonly string[];
      /** Until when the drain waits for them. */
      readonly until: Instant;
    };
