import type { Instant } from "../../lambda/base/time.ts";
import type { Node } from "../../lambda/drain/node.ts";
import type { Pod } from "../../lambda/drain/pod.ts";
import type { KubeHosts } from "../../lambda/kubernetes/kube-hosts.ts";
import type { PlanSettings } from "./plan-settings.ts";
import type { PlanScope } from "./scope.ts";
import type { PodSurroundings } from "./surroundings.ts";

/**
 * The surge of a workload whose budget allows no disruption: its pods before and during the surge. Without a surge both
 * counts are equal.
 */
export interface RoomFirst {
  readonly workload: string;
  readonly from: number;
  readonly to: number;
  /** Why not, or what is waited for; empty otherwise. */
  readonly why: string;
}

/** A workload and its first pod on a node that leaves. */
export interface HeldWorkload {
  readonly workload: string;
  readonly pod: Pod;
  readonly node: Node;
}

/** The other facts of a plan. */
export interface RoomGround extends Pick<PodSurroundings, "budgets"> {
  readonly scope: PlanScope;
  readonly settings: PlanSettings;
  readonly reads: KubeHosts;
  readonly now: Instant;
}
