import type { Labels } from "../base/labels.ts";
import type { Duration, Instant } from "../base/time.ts";
import type { Pod } from "../drain/pod.ts";
import type { ReschedulablePod } from "../drain/reschedulable-pod.ts";

/** An object with the number of a workload's pods, as it is now. */
interface Counting {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly annotations: Labels;
  /** Whether it has the label of a surge, also of one whose record is gone. */
  readonly isLabelled: boolean;
  /** Whether a manifest of others has the annotation or the label of a surge, and writes it again whenever it is applied. */
  readonly isDeclared: boolean;
  /** Who has written the count, as the API server remembers it; with the subresource, if by one. */
  readonly managers: readonly string[];
  /** When drains have changed its count or its record last, by each trace that they have left and nobody has taken. */
  readonly changes: readonly Instant[];
}

/** A workload that may get more pods for a while: a Deployment, or a ReplicaSet without an owner. */
export interface Workload extends Counting {
  readonly kind: "Deployment" | "ReplicaSet";
  /** Finds its pods, and perhaps others. */
  readonly selector: string;
  readonly replicas: number;
  /** The labels of its own template. */
  readonly labels: Labels;
  /** The most pods beyond its count that a rollout may make: at least one. */
  readonly maxSurge: number;
  readonly strategy: string;
  /** The time for which a pod has to be ready before it counts. */
  readonly minReady: Duration;
  /** The pod-deletion-cost in its own template; empty if none. */
  readonly cost: string;
  /** The node that its own template names, past the scheduler; empty if none. */
  readonly pinnedTo: string;
  /** `settled` once its controller has done all that its spec asks for. */
  readonly state: "settled" | "under way";
  /** The PersistentVolumeClaims that all its pods share. */
  readonly claims: readonly string[];
  /** The scalers of its pods: none or one, where they do not fight. */
  readonly scalers: readonly Scaler[];
}

/** A workload as far as its metadata says. */
export type WorkloadMetadata = Pick<
  Workload,
  "annotations" | "changes" | "kind" | "name" | "namespace" | "uid"
>;

/**
 * The most additional pods of a workload or its autoscaler: a few, whatever others have written
 * into its rollouts.
 */
export const mostMore = 5;

/**
 * The scaler of a workload: a HorizontalPodAutoscaler, or the ScaledObject of KEDA that keeps one.
 */
export interface Scaler extends Counting {
  readonly kind: "HorizontalPodAutoscaler" | "ScaledObject";
  readonly min: number;
  readonly max: number;
  /** `behind` while KEDA has not handed this least count on to its HorizontalPodAutoscaler. */
  readonly state: "behind" | "followed";
}

/**
 * The highest least count of an autoscaler where room is made: lambda/rights/room-fence.yaml lets
 * it rise by few.
 */
export const mostOf = ({ min, max }: Pick<Scaler, "max" | "min">): number =>
  Math.min(max, min + mostMore);

/** An object that has a record of ours. */
export interface RoomRef {
  readonly kind: Scaler["kind"] | Workload["kind"];
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** A pod of a workload, with what decides where another one may go. */
export interface Replica extends ReschedulablePod {
  /** Why the scheduler finds no node for it; empty when it has one, or has not tried. */
  readonly unplaced: string;
  /** Since when it is ready, if it is. */
  readonly readySince: Instant;
  /** The rules that keep two such pods from nodes with the same value of a label. */
  readonly apart: readonly { readonly from: string; readonly label: string }[];
}

/** A workload's name for people: `deployment/web`. */
export const workloadTitle = ({ kind, name }: Pick<Workload, "kind" | "name">): string =>
  `${kind.toLowerCase()}/${name}`;

/** Whether a pod is of a workload: a ReplicaSet is named after its Deployment and the hash of its template. */
export const isOf = (
  { namespace, controller, labels }: Pod,
  workload: Pick<Workload, "kind" | "name" | "namespace">,
): boolean =>
  namespace === workload.namespace &&
  controller.kind === "owner" &&
  controller.type === "ReplicaSet" &&
  controller.name ===
    (workload.kind === "ReplicaSet"
      ? workload.name
      : `${workload.name}-${labels["pod-template-hash"]}`);
