import type { GroupName, GroupSelector, HookName, InstanceId, NodeName } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import type { Duration, Instant } from "../base/time.ts";
import type { Target } from "../drain/target.ts";
import type { Ec2Instance } from "../group/ec2-instance.ts";
import type { Membership } from "../group/membership.ts";
import type {
  DrainedGroup,
  FailedActivity,
  NamedTemplate,
  ScalingGroup,
  Sizes,
  TemplateVersion,
} from "../group/scaling-group.ts";
import type { TargetGroupHealth, TargetKind } from "../group/target-loss.ts";
import type { NodeRole, Registration } from "../launch/node-mapping.ts";
import type {
  ActionAnswer,
  ActionResult,
  HookTerms,
  LifecycleAction,
} from "../notice/lifecycle-action.ts";

/** What a group has done of late. */
export interface Activities {
  /** What has failed after the last launch that succeeded, the newest first. */
  readonly failures: readonly FailedActivity[];
  /**
   * When an activity put an instance into service: by a launch, out of the warm pool or of standby. What was wrong with the
   * instance before then does not count.
   */
  readonly entered: ReadonlyMap<InstanceId, Instant>;
}

/** The Auto Scaling groups, with their instances and hooks. */
export interface ScalingGroups {
  membership(instance: InstanceId): Promise<Membership>;
  /** The same for many instances, in few requests; those that are in no group are left out. */
  memberships(instances: readonly InstanceId[]): Promise<ReadonlyMap<InstanceId, Membership>>;
  /** The tags of many groups, in few requests; those that are not there are left out. */
  tagsOf(groups: readonly GroupName[]): Promise<ReadonlyMap<GroupName, Labels>>;
  /** What drains need of a group, without the instances of its warm pool; `absent` when no group has that name. */
  group(name: GroupName): Promise<DrainedGroup | "absent">;
  /** The group with the instances of its warm pool, which needs one more request. */
  withPool(name: GroupName): Promise<ScalingGroup | "absent">;
  /** All groups of these that are there, each once, with their warm pools. */
  managed(groups: readonly GroupSelector[]): Promise<readonly ScalingGroup[]>;
  /** What a hook does without an answer; `absent` when the group has no such hook. */
  hook(group: GroupName, hook: HookName): Promise<HookTerms | "absent">;
  /** Restarts the hook's timeout. */
  heartbeat(action: LifecycleAction): Promise<ActionAnswer>;
  /** Completes the hook, which releases the instance. */
  complete(action: LifecycleAction, result: ActionResult): Promise<ActionAnswer>;
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
  /** Whether an instance refresh of the group is under way. */
  refresh(group: GroupName): Promise<"active" | "none">;
  /** The activities that have failed since then, the newest first. */
  failures(group: GroupName, since: Instant): Promise<readonly FailedActivity[]>;
  /** What the group has done since then. */
  activities(group: GroupName, since: Instant): Promise<Activities>;
}

export type DrainedGroups = Pick<
  ScalingGroups,
  "complete" | "group" | "heartbeat" | "hook" | "membership" | "memberships" | "tagsOf"
>;

/** A version of a launch template, as far as an upgrade needs it. */
export interface DescribedVersion extends TemplateVersion {
  /** `ami-…`; empty if the template has none. */
  readonly image: string;
  /** Empty without one. */
  readonly description: string;
}

/** What a version of a launch template is made from. */
export interface VersionToMake {
  readonly from: TemplateVersion;
  readonly image: string;
  readonly description: string;
  /** The same token makes the version once, however often it is asked for. */
  readonly token: string;
}

export interface LaunchTemplates {
  /** The version that a group names now; `absent` when the template or the version is not there. */
  version(template: NamedTemplate): Promise<DescribedVersion | "absent">;
  /** Makes a version that differs from another only in its image, unless a deployment leaves that to people. */
  make(version: VersionToMake): Promise<TemplateVersion | "denied">;
}

/** An image, as EC2 describes it. */
export interface Image {
  readonly id: string;
  /** Such as `x86_64`. */
  readonly architecture: string;
  readonly state: string;
}

/** The images that instances are launched from. */
export interface Images {
  image(id: string): Promise<Image | "absent">;
  /** The image that a parameter of SSM names. */
  imageIn(parameter: string): Promise<string | "absent">;
}

/** The zones that a zonal shift moves traffic away from. */
export interface ZonalShifts {
  /** Their ids, such as `euw1-az2`, each once. */
  away(): Promise<readonly string[]>;
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

/** What AWS has planned for instances. */
export interface WorkSchedule {
  /** When the events begin that EC2 has scheduled for an instance and that are not over; none when EC2 does not know it. */
  planned(instance: InstanceId): Promise<readonly Instant[]>;
}

/** The load balancers that send requests to instances. */
export interface LoadBalancers {
  /** The instance as a target of every load balancer of its VPC, with all its ports; without those that have let it go. */
  targetsOf(instance: InstanceId, vpc: string): Promise<readonly Target[]>;
  /** The same targets as they are now. */
  look(targets: readonly Target[]): Promise<readonly Target[]>;
  /** Takes the targets out of their load balancers. */
  deregister(targets: readonly Target[]): Promise<void>;
}

/** The target groups that load balancers use. */
export interface TargetGroups {
  /** What the targets of the target groups of a VPC are; of an unknown VPC, of all of them. */
  kinds(vpc: string): Promise<ReadonlySet<TargetKind>>;
  /** The target groups of a VPC that have one of these targets, as they are now. */
  having(
    ids: ReadonlySet<string>,
    kind: TargetKind,
    vpc: string,
  ): Promise<readonly TargetGroupHealth[]>;
}

/** A lifecycle hook as a deployment wants it. */
export interface GroupHook {
  readonly group: GroupName;
  readonly name: HookName;
  readonly transition: string;
  readonly heartbeat: Duration;
  readonly topicArn: string;
  readonly roleArn: string;
}

export interface GroupHooks {
  /** Gives a group a hook, or changes the one of this name. */
  put(hook: GroupHook): Promise<void>;
  /** Removes a hook from its group, unless it is gone or notifies another topic, and so belongs to another deployment. */
  remove(hook: GroupHook): Promise<void>;
}

/** The IAM roles of instances. */
export interface Roles {
  /** The ARN of the role in an instance profile, with its path; `none` when the profile has no role. */
  roleIn(profile: string): Promise<string | "none">;
}

/** The roles whose instances may join the cluster as nodes. */
export interface RoleRegistry {
  /** Registers a role, unless it is registered already; it never removes another role. */
  register(role: NodeRole): Promise<Registration>;
}

/** What EC2 knows about an instance that seems to have no node. */
export interface LaunchFacts {
  readonly at: Instant;
  readonly names: readonly NodeName[];
}

/** The EC2 instances that are repaired. */
export interface Machines {
  /** The launches of these instances; those that EC2 does not know are left out. */
  launches(instances: readonly InstanceId[]): Promise<ReadonlyMap<InstanceId, LaunchFacts>>;
  /** Reboots a machine; `refused` if it is not running. */
  reboot(instance: InstanceId): Promise<"asked" | "refused">;
}
