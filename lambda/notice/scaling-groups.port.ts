import type { GroupName, HookName, InstanceId } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import type { Duration } from "../base/time.ts";
import type {
  ActionAnswer,
  ActionResult,
  LifecycleAction,
  Membership,
} from "./lifecycle-action.ts";

/** An Auto Scaling group, as far as drains are concerned. */
export interface ScalingGroup {
  /** The instances that a terminate hook holds. */
  readonly heldTerminating: readonly InstanceId[];
  readonly tags: Labels;
  /** What happens to an instance whose termination a hook abandons: it ends at once, unless the group retains it. */
  readonly onAbandon: "retain" | "terminate";
}

/** The Auto Scaling groups and their hooks. */
export interface ScalingGroups {
  membership(instance: InstanceId): Promise<Membership>;
  /** The same for many instances, in few requests; those that are in no group are left out. */
  memberships(instances: readonly InstanceId[]): Promise<ReadonlyMap<InstanceId, Membership>>;
  /** The tags of many groups, in few requests; those that are not there are left out. */
  tagsOf(groups: readonly GroupName[]): Promise<ReadonlyMap<GroupName, Labels>>;
  /** The group as it is now; `absent` when no group has that name. */
  group(name: GroupName): Promise<ScalingGroup | "absent">;
  /** How long a hook waits for a heartbeat; `absent` when the group has no such hook. */
  heartbeatTimeout(group: GroupName, hook: HookName): Promise<Duration | "absent">;
  /** Restarts the hook's timeout. */
  heartbeat(action: LifecycleAction): Promise<ActionAnswer>;
  /** Completes the hook, which releases the instance. */
  complete(action: LifecycleAction, result: ActionResult): Promise<ActionAnswer>;
}
