import type { GroupName, GroupSelector, InstanceId, NodeName } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import type { Instant } from "../base/time.ts";
import type { Ec2Instance } from "./ec2-instance.ts";
import type { Membership } from "./membership.ts";
import type {
  DrainedGroup,
  FailedActivity,
  NamedTemplate,
  ScalingGroup,
  Sizes,
} from "./scaling-group.ts";
import type { FoundTargetGroups, TargetKind } from "./target-loss.ts";

/** The recent activities of a group. */
export interface Activities {
  /** The failures after the last successful launch, the newest first. */
  readonly failures: readonly FailedActivity[];
  /**
   * When an activity put an instance into service: by a launch, out of the warm pool or of standby. What was wrong with the
   * instance before then does not count.
   */
  readonly entered: ReadonlyMap<InstanceId, Instant>;
}

/** The Auto Scaling groups, with their instances. */
export interface ScalingGroups {
  membership(instance: InstanceId): Promise<Membership>;
  /** The same for many instances, in few requests; those that are in no group are left out. */
  memberships(instances: readonly InstanceId[]): Promise<ReadonlyMap<InstanceId, Membership>>;
  /** The tags of many groups, in few requests; those that are not there are left out. */
  tagsOf(groups: readonly GroupName[]): Promise<ReadonlyMap<GroupName, Labels>>;
  /**
   * The facts about a group that drains need, without the instances of its warm pool; `absent` when
   * no group has that name.
   */
  group(name: GroupName): Promise<DrainedGroup | "absent">;
  /** The group with the instances of its warm pool, which needs one more request. */
  withPool(name: GroupName): Promise<ScalingGroup | "absent">;
  /** All groups of these that are there, each once, with their warm pools. */
  managed(groups: readonly GroupSelector[]): Promise<readonly ScalingGroup[]>;
  /** Has the group launch by this template from now on; in a mixed instances policy, all but its overrides. */
  launchBy(group: GroupName, template: NamedTemplate): Promise<void>;
  /** Sets the sizes that are given, and leaves the others. */
  resize(group: GroupName, sizes: Partial<Sizes>): Promise<void>;
  /** Writes tags of the group itself, which its instances do not get. */
  tag(group: GroupName, tags: Labels): Promise<void>;
  untag(group: GroupName, keys: readonly string[]): Promise<void>;
  /**
   * Ends an instance through its hooks. The group replaces it if its desired capacity is `kept`; if it `shrinks`, the
   * capacity is one less in the same moment. `gone` when the group no longer has the instance, or it ends already.
   */
  terminate(instance: InstanceId, capacity: "kept" | "shrinks"): Promise<"gone" | "terminating">;
  /** Has the group replace an instance, as after a health check that failed; `gone` when it is in no group any more. */
  giveUp(instance: InstanceId): Promise<"given-up" | "gone">;
  /** The state of the group's instance refresh. */
  refresh(group: GroupName): Promise<"active" | "none">;
  /** The activities that have failed since then, the newest first. */
  failures(group: GroupName, since: Instant): Promise<readonly FailedActivity[]>;
  /** The group's activities since then. */
  activities(group: GroupName, since: Instant): Promise<Activities>;
}

/** The EC2 instances behind the nodes. */
export interface Instances {
  /** The instance itself; `unknown` when EC2 does not know it, not yet or no longer. */
  describe(instance: InstanceId): Promise<Ec2Instance | "unknown">;
  /** The groups that Auto Scaling has started many instances for, in few calls; those without one are left out. */
  groupsOf(instances: readonly InstanceId[]): Promise<ReadonlyMap<InstanceId, GroupName>>;
  /** The names that the nodes of many instances may have, in few calls; an instance that EC2 does not know is left out. */
  namesOf(instances: readonly InstanceId[]): Promise<ReadonlyMap<InstanceId, readonly NodeName[]>>;
}

/** The target groups that load balancers use. */
export interface TargetGroups {
  /** The kinds of targets in the target groups of a VPC; of an unknown VPC, those of all groups. */
  kinds(vpc: string): Promise<ReadonlySet<TargetKind>>;
  /** The target groups of a VPC that have one of these targets, as far as AWS answers in some seconds. */
  having(ids: ReadonlySet<string>, kind: TargetKind, vpc: string): Promise<FoundTargetGroups>;
}
