import type { InstanceId, NodeName, PodUid } from "../base/ids.ts";
import type { Duration, Instant } from "../base/time.ts";
import type { Reason } from "../drain/cause.ts";
import type { ObjectRef, PodNote } from "../drain/pod.ts";
import type { Platform } from "../group/ec2-instance.ts";
import type { Registration } from "../launch/node-mapping.ts";
import type { LifecycleAction } from "../notice/lifecycle-action.ts";
import type { Note, Outcome } from "../notice/outcome.ts";
import type { Subject } from "../notice/subject.ts";
import type { RepairEntry } from "../repair/repair-entry.ts";
import type { UpgradeEntry } from "../upgrade/upgrade-entry.ts";

/** All entries of the journal about a notice. The log, the command line and the tests read the same entries. */
export type Entry =
  | { readonly kind: "pass-started"; readonly notice: string; readonly receives: number }
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
  /** The node was marked already, and now has to be drained by a nearer deadline, or for another reason than an upgrade. */
  | {
      readonly kind: "mark-tightened";
      readonly node: NodeName;
      readonly reason: Reason;
      readonly deadline: string;
      /** Whose mark it was: of a drain of this node, of an upgrade, or of a peer's drain; `late` if the drain's time restarts. */
      readonly markOf: "drain" | "late" | "peer" | "upgrade";
    }
  /** A pass began too late for the drain's deadline; it evicts all the same, until then. */
  | { readonly kind: "drain-late"; readonly node: NodeName; readonly deadline: string }
  | { readonly kind: "mark-undone"; readonly node: NodeName }
  /** Only cordoned, because its instance is at risk; `until` is when that is undone if nothing happens. */
  | { readonly kind: "node-cordoned"; readonly node: NodeName; readonly until: string }
  | { readonly kind: "node-removed"; readonly node: NodeName; readonly instance: InstanceId }
  /** A node was tainted as out of service, or the taint was removed. */
  | { readonly kind: "out-of-service"; readonly node: NodeName; readonly taint: "set" | "removed" }
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
      readonly pods: readonly string[];
    } & BudgetNumbers)
  /** A pod is made elsewhere first, because the budget of one on the node has nothing to spare. */
  | ({ readonly kind: "making-room"; readonly node: NodeName } & RoomChange)
  | {
      readonly kind: "pod-refused";
      readonly pod: string;
      /** What was refused: an eviction, or a deletion by force. */
      readonly verb: "delete" | "evict";
      /** What that deletion would have overruled; empty for an eviction. */
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
    }
  | {
      readonly kind: "role-registered";
      readonly role: string;
      readonly platform: Platform;
      readonly access: Registration;
    }
  | { readonly kind: "node-awaited"; readonly instance: InstanceId; readonly reason: string }
  | { readonly kind: "warning"; readonly about: string; readonly warnings: readonly string[] }
  | { readonly kind: "heartbeat"; readonly hook: string; readonly instance: InstanceId }
  | { readonly kind: "hook-completed"; readonly action: LifecycleAction; readonly result: string }
  | {
      readonly kind: "pass-ended";
      readonly left: readonly Note[];
      readonly wait: Duration;
      /** The pass has only marked its node; its pods are seen by the next. */
      readonly onlyMarked?: true;
    }
  | { readonly kind: "notice-done"; readonly notice: string; readonly outcome: Outcome }
  | {
      readonly kind: "fault";
      readonly code: string;
      readonly message: string;
      readonly retryable: boolean;
    }
  /** What people are told by a webhook. */
  | ({ readonly kind: "drain-news" } & News)
  /** What a pass has counted and measured; CloudWatch makes metrics of it. */
  | { readonly kind: "measured"; readonly figures: readonly Figure[] }
  | UpgradeEntry
  | RepairEntry;

/** One data point of a metric. */
export interface Figure {
  readonly name: string;
  readonly unit: "Count" | "Seconds";
  readonly value: number;
  /** The metric's dimension, and its value; both are empty for a metric without one. */
  readonly dimension: string;
  readonly of: string;
}

/** What people are told of a drain while it goes on: once when it starts, once when something first holds it, once when it is over. */
export interface News {
  readonly news: "start" | "block" | "end";
  /** `warning` where somebody may want to do something. */
  readonly tone: "good" | "warning";
  readonly node: NodeName;
  /** Since when that is so, in ISO 8601. */
  readonly since: string;
  /** What happened, in the words of the Events of Kubernetes. */
  readonly text: string;
  /** What a person can do about it; empty where there is nothing to do. */
  readonly advice: string;
}

export interface BudgetNumbers {
  /** Its namespace and name; of a pod that several budgets select, all of them. */
  readonly budget: string;
  readonly healthy: number;
  readonly desired: number;
  readonly allowed: number;
}

/** What was done, or not done, to the count of a workload to make room. */
export interface RoomChange {
  /** Its namespace, kind and name. */
  readonly workload: string;
  readonly owner: ObjectRef;
  readonly stage: "given up" | "made" | "not tried" | "put back" | "surged";
  /** The count before and after; both the same where it was not changed. */
  readonly from: number;
  readonly to: number;
  /** For which node and budget, or why not. */
  readonly why: string;
}

/** Whether a part of the mark is ours or was there before. */
export type Whose = "ours" | "theirs";

/** An entry with its subject and the time at which it was made. */
export type Dated = Entry &
  Subject & {
    readonly at: Instant;
    /** How many items of its lists its line in the log had no room for. @default none */
    readonly cut?: number;
  };
