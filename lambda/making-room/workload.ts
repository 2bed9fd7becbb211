import type { NodeName } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import type { Pod } from "../drain/pod.ts";

/** An object that says how many pods a workload has, as it is now. */
interface Counting {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly annotations: Labels;
  /** Who has written the count, as the API server remembers it. */
  readonly managers: readonly string[];
}

/** A Deployment, which may get more pods for a while. */
export interface Workload extends Counting {
  readonly namespace: string;
  readonly replicas: number;
  /** How many pods more than its count a rollout may make: at least one. */
  readonly maxSurge: number;
  readonly strategy: "Recreate" | "RollingUpdate";
  /** Whether its controller has done all that the Deployment asks for. */
  readonly state: "settled" | "under way";
  /** The PersistentVolumeClaims that all its pods share. */
  readonly claims: readonly string[];
  readonly scaler: Scaler | "none";
}

/** A HorizontalPodAutoscaler, which counts the pods of a Deployment. */
export interface Scaler extends Counting {
  readonly min: number;
  readonly max: number;
  /** Whether KEDA has made it, which would put it back. */
  readonly madeBy: "KEDA" | "somebody";
}

/** A pod of a workload, and why the scheduler finds no node for it; empty when it has one, or has not tried. */
export interface Replica {
  readonly pod: Pod;
  readonly unplaced: string;
}

/** A workload with its pods, and what somebody wants to be done about it. */
export interface RoomSite {
  readonly workload: Workload;
  readonly replicas: readonly Replica[];
  /** The nodes that are being drained. */
  readonly draining: ReadonlySet<NodeName>;
}

/** A workload's name for people: `deployment/web`. */
export const workloadTitle = ({ name }: Pick<Workload, "name">): string => `deployment/${name}`;
