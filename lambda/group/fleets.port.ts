import type { GroupName, InstanceId, ManagedGroup } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import type { Instant } from "../base/time.ts";
import type { FailedActivity, Fleet, NamedTemplate, Sizes, TemplateVersion } from "./fleet.ts";

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

/** The Auto Scaling groups with their instances, as upgrades and repairs read and change them. */
export interface Fleets {
  /** The group as it is now, with all its instances; `absent` when no group has that name. */
  fleet(group: GroupName): Promise<Fleet | "absent">;
  /** All groups of these that are there, each once. */
  groups(managed: readonly ManagedGroup[]): Promise<readonly Fleet[]>;
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

/** A version of a launch template, as far as an upgrade needs it. */
export interface DescribedVersion extends TemplateVersion {
  /** `ami-…`, or empty where the template leaves it to somebody else. */
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

/** The launch templates of groups. */
export interface LaunchTemplates {
  /** The version that a group names now; `absent` when the template or the version is not there. */
  version(template: NamedTemplate): Promise<DescribedVersion | "absent">;
  /** Makes a version that differs from another only in its image, unless a deployment leaves that to people. */
  make(version: VersionToMake): Promise<TemplateVersion | "denied">;
}

/** What EC2 says of an image. */
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

/** The zones that somebody, or AWS itself, moves traffic away from. */
export interface ZonalShifts {
  /** Their ids, such as `euw1-az2`, each once. */
  away(): Promise<readonly string[]>;
}
