import type { GroupName, InstanceId } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import type { Instant } from "../base/time.ts";

/** A launch template at one of its versions. */
export interface TemplateVersion {
  /** `lt-…`. */
  readonly template: string;
  readonly version: number;
}

/** Which version of a launch template a group names: a number, or one that moves. */
export type NamedVersion = number | "$Default" | "$Latest";

/** A launch template as a group names it. */
export interface NamedTemplate {
  readonly template: string;
  readonly version: NamedVersion;
}

/** The source from which a group launches. */
export type LaunchSource =
  /** One template for all instances. */
  | { readonly kind: "template"; readonly template: NamedTemplate }
  /** A mixed instances policy: a template for all types but those which an override gives one of their own. */
  | {
      readonly kind: "mixed";
      readonly template: NamedTemplate;
      readonly overrides: readonly NamedTemplate[];
      /** Instance weights: `some` if an instance may count for more than one in the group's sizes. */
      readonly weights: "none" | "some";
    }
  /** A launch configuration, which has no versions. */
  | { readonly kind: "configuration"; readonly name: string };

/** The sizes of a group. */
export interface Sizes {
  readonly min: number;
  readonly max: number;
  readonly desired: number;
}

/** An instance of a group, as Auto Scaling describes it. */
export interface GroupInstance {
  readonly id: InstanceId;
  readonly zone: string;
  /** Such as `InService`, `Terminating:Wait` or `Warmed:Stopped`. */
  readonly state: string;
  /** The template version that launched it; `configuration` where that was no template. */
  readonly source: TemplateVersion | "configuration";
  readonly protection: "none" | "scale-in";
  readonly health: "healthy" | "unhealthy";
}

/** The bounds, in percent of the desired capacity, in which Auto Scaling replaces instances of a group. */
type MaintenancePolicy =
  | { readonly kind: "none" }
  | { readonly kind: "bounds"; readonly min: number; readonly max: number };

/** An Auto Scaling group with its instances. */
export interface ScalingGroup {
  readonly name: GroupName;
  readonly sizes: Sizes;
  readonly zones: readonly string[];
  readonly tags: Labels;
  readonly source: LaunchSource;
  readonly instances: readonly GroupInstance[];
  /** The suspended processes, such as `Launch`. */
  readonly suspended: readonly string[];
  /**
   * The fate of an instance whose termination a hook abandons: it ends at once, unless the group
   * retains it.
   */
  readonly onAbandon: "retain" | "terminate";
  readonly maintenance: MaintenancePolicy;
  /** The service that alone may change the group, such as `eks.amazonaws.com`; empty without one. */
  readonly operator: string;
}

/** Says that a group belongs to a service: Auto Scaling refuses what anybody else changes. */
export const operatorText = ({ name, operator }: Pick<ScalingGroup, "name" | "operator">): string =>
  `group ${name} belongs to the service ${operator} (its Operator), which alone may change it`;

export type DrainedGroup = Pick<ScalingGroup, "instances" | "onAbandon" | "tags">;

/** A scaling activity that failed, in Auto Scaling's own words. */
export interface FailedActivity {
  readonly at: Instant;
  /** The description by Auto Scaling, such as "Launching a new EC2 instance. Status Reason: …". */
  readonly description: string;
  readonly message: string;
}

/** Whether an instance is in service, or on its way there. */
export const isActive = ({ state }: GroupInstance): boolean => /^(?:InService|Pending)/.test(state);

/** Whether an instance is on its way out of its group. */
export const isLeaving = ({ state }: GroupInstance): boolean => /^(?:Terminat|Detach)/.test(state);

/** Whether an instance terminates, so that its node needs nothing any more. */
export const isEnding = ({ state }: GroupInstance): boolean => state.includes("Terminat");

/** Whether an instance waits in a warm pool. */
export const isPooled = ({ state }: GroupInstance): boolean => /^Warmed:(?!Terminat)/.test(state);

/** The template that a group names; `none` for a launch configuration. */
export const templateOf = (source: LaunchSource): NamedTemplate | "none" =>
  source.kind === "configuration" ? "none" : source.template;

/** Whether a group names this version of this template. */
export function names(source: LaunchSource, { template, version }: NamedTemplate): boolean {
  const named = templateOf(source);
  return named !== "none" && named.template === template && named.version === version;
}

/** The launch source of a group, for people. */
export function launchText(source: LaunchSource): string {
  const named = templateOf(source);
  return named === "none"
    ? "a launch configuration"
    : `version ${named.version} of ${named.template}`;
}
