import type { InstanceId, NodeName, PodUid } from "../base/ids.ts";
import type { PassEntry } from "../notice/pass-entry.ts";
import type { ObjectRef, PodNote } from "./pod.ts";
import type { Reason } from "./reason.ts";
import type { RoomEntry } from "./room-entry.ts";

/** The journal's entries about a drain. */
export type DrainEntry =
  | PassEntry
  | RoomEntry
  | { readonly kind: "node-found"; readonly node: NodeName; readonly instance: InstanceId }
  | {
      readonly kind: "node-marked";
      readonly node: NodeName;
      readonly labelled: Whose;
      readonly cordoned: Whose;
      /** Why. */
      readonly reason: Reason;
      /** When the node has to be drained, in ISO 8601; empty if unknown. */
      readonly deadline: string;
    }
  /** The node was marked already, and now has to be drained by a nearer deadline, or for another reason than that of work which opens its nodes itself. */
  | {
      readonly kind: "mark-tightened";
      readonly node: NodeName;
      readonly reason: Reason;
      readonly deadline: string;
      /** Whose mark it was: `drain` of this node, `peer` of a peer's, or of work such as `upgrade`; `late` if the drain's time restarts. */
      readonly markOf: string;
    }
  /** A pass began too late for the drain's deadline; it evicts all the same, until then. */
  | { readonly kind: "drain-late"; readonly node: NodeName; readonly deadline: string }
  | { readonly kind: "mark-undone"; readonly node: NodeName }
  | {
      readonly kind: "pods-seen";
      readonly node: NodeName;
      readonly holding: readonly string[];
      /** Those of them that leave last. */
      readonly critical: readonly string[];
      readonly skipped: readonly string[];
      /** Until when the node has to be drained, in ISO 8601. */
      readonly deadline: string;
    }
  /** These pods hold the node because an annotation or a setting protects them. */
  | { readonly kind: "pods-protected"; readonly node: NodeName; readonly pods: readonly PodNote[] }
  /** These pods should long have ended, and the drain no longer waits for them. */
  | { readonly kind: "pods-stuck"; readonly node: NodeName; readonly pods: readonly PodNote[] }
  | {
      readonly kind: "pod-evicted";
      readonly pod: string;
      readonly node: NodeName;
      readonly graceSeconds: number;
    }
  | {
      readonly kind: "pod-deleted";
      readonly pod: string;
      readonly node: NodeName;
      readonly graceSeconds: number;
      /** The budget or the protection that the deletion overruled; empty when there was none. */
      readonly past: string;
      readonly uid: PodUid;
    }
  /** The node has less time than the pod asks for. */
  | {
      readonly kind: "grace-cut";
      readonly pod: string;
      readonly node: NodeName;
      readonly graceSeconds: number;
      readonly ownSeconds: number;
      readonly uid: PodUid;
    }
  /** From now on a budget lets none of these pods go. */
  | ({
      readonly kind: "pods-held";
      readonly node: NodeName;
      readonly pods: readonly string[];
      /** The controllers of these pods, each once; of a pod without one, the pod itself. */
      readonly owners: readonly ObjectRef[];
    } & BudgetNumbers)
  /** The budget no longer holds these pods. */
  | ({
      readonly kind: "pods-freed";
      readonly node: NodeName;
      /**
       * The source of their release: their budget, or the deadline, at which force asks no budget.
       */
      readonly by: "budget" | "deadline";
      readonly pods: readonly string[];
    } & BudgetNumbers)
  | {
      readonly kind: "pod-refused";
      readonly pod: string;
      /** The refused request: an eviction, or a deletion by force. */
      readonly verb: "delete" | "evict";
      /**
       * The budgets or protection that the deletion would have overruled; empty for an eviction.
       */
      readonly past: string;
      readonly why: string;
      readonly message: string;
    }
  | { readonly kind: "pod-gone"; readonly pod: string; readonly node: NodeName }
  | {
      readonly kind: "volumes-awaited";
      readonly node: NodeName;
      readonly volumes: readonly string[];
    }
  /** Load balancers hold the node: a line for each, which says what it does with the instance. */
  | {
      readonly kind: "targets-awaited";
      readonly node: NodeName;
      readonly targets: readonly string[];
    }
  /** No load balancer holds the node any more. */
  | { readonly kind: "targets-gone"; readonly node: NodeName }
  /** Nobody else has taken the instance out of these load balancers, so this drain has. */
  | {
      readonly kind: "targets-deregistered";
      readonly node: NodeName;
      readonly targets: readonly string[];
    };

export interface BudgetNumbers {
  /** Its namespace and name; of a pod that several budgets select, the first five, and how many more. */
  readonly budget: string;
  readonly healthy: number;
  readonly desired: number;
  readonly allowed: number;
}

/** The owner of a part of the mark: this deployment, or somebody before it. */
export type Whose = "ours" | "theirs";
