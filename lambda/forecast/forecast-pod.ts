import type { Duration } from "../base/time.ts";
import type { ReschedulablePod } from "../drain/reschedulable-pod.ts";

/** A volume on a node, such as `cache`. */
export interface LocalData {
  readonly volume: "emptyDir" | "hostPath" | "local volume";
  readonly name: string;
}

/** A ResourceClaim of a pod: one that it names or that was made for it, or one behind an extended resource. */
export interface DeviceClaim {
  readonly kind: "claim" | "extended-resource";
  readonly name: string;
}

/** A surge in words, and the rounds of its workload that come before it. */
export interface SurgeRound {
  readonly words: string;
  readonly round: number;
}

/** A pod on a node, with all that a drain's forecast needs to know of it. */
export interface ForecastPod extends ReschedulablePod {
  /** Its data on the node, which does not move with it. */
  readonly localData: readonly LocalData[];
  /** The PersistentVolumes that have to be detached from the node. */
  readonly attached: readonly string[];
  /** The claims of its devices. */
  readonly deviceClaims: readonly DeviceClaim[];
  /** `until it ends` if its containers may end for good, as those of a Job do. */
  readonly life: "until it ends" | "for ever";
  /**
   * The operated workload that it belongs to, if an operator may move it once its node is cordoned;
   * empty otherwise.
   */
  readonly operated: string;
  /** When it is let go because room is made; `none` if no room is made for it. */
  readonly room: SurgeRound | "none";
  /** The time until it became ready, if known. */
  readonly readyAfter: Duration | "unknown";
}
