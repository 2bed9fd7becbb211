import type { Clock } from "../base/clock.port.ts";
import type { GroupName, HookName } from "../base/ids.ts";
import type { Instances, ScalingGroups } from "../group/group.port.ts";
import type { Journal } from "./journal.port.ts";
import type { ActionAnswer, ActionResult, HookTerms, LifecycleAction } from "./lifecycle-action.ts";
import type { PassEntry } from "./pass-entry.ts";

/** The lifecycle hooks of Auto Scaling groups. */
export interface LifecycleHooks {
  /** The default result of a hook; `absent` when the group has no such hook. */
  hook(group: GroupName, hook: HookName): Promise<HookTerms | "absent">;
  /** Restarts the hook's timeout. */
  heartbeat(action: LifecycleAction): Promise<ActionAnswer>;
  /** Completes the hook, which releases the instance. */
  complete(action: LifecycleAction, result: ActionResult): Promise<ActionAnswer>;
}

/** The groups of held instances, and their hooks. */
export type HookedGroups = LifecycleHooks & Pick<ScalingGroups, "group" | "membership">;

/** The cluster whose nodes are worked on, as EKS knows it. */
export interface NamedCluster {
  /**
   * Waits a moment until EKS has named the endpoint of the cluster. Throws `cluster.not-found` if EKS knows no such cluster;
   * the calls that need the endpoint report any other failure.
   */
  clusterKnown(): Promise<void>;
}

/** The outside world of a pass over a held instance. */
export interface PassPorts {
  readonly clock: Clock;
  readonly groups: HookedGroups;
  readonly instances: Pick<Instances, "describe">;
  readonly journal: Journal<PassEntry>;
}
