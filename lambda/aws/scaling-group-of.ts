import type {
  AutoScalingGroup,
  Instance,
  LaunchTemplateSpecification,
} from "@aws-sdk/client-auto-scaling";
import { groupName, instanceId } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import type {
  DrainedGroup,
  GroupInstance,
  LaunchSource,
  NamedTemplate,
  NamedVersion,
  ScalingGroup,
} from "../group/scaling-group.ts";

export const labelsOf = (tags: AutoScalingGroup["Tags"] = []): Labels =>
  Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value ?? ""]));

/** Reads a group, whose warm pool has these instances. */
export const scalingGroupOf = (
  group: Partial<AutoScalingGroup>,
  warm: readonly Instance[],
): ScalingGroup => ({
  name: groupName(group.AutoScalingGroupName ?? ""),
  sizes: {
    min: group.MinSize ?? 0,
    max: group.MaxSize ?? 0,
    desired: group.DesiredCapacity ?? 0,
  },
  zones: group.AvailabilityZones ?? [],
  source: sourceOf(group),
  suspended: (group.SuspendedProcesses ?? []).map(({ ProcessName: name }) => name ?? ""),
  maintenance: maintenanceOf(group),
  operator: group.Operator?.Principal ?? "",
  ...drainedGroupOf(group, warm),
});

/** Reads of a group what drains need of it. */
export const drainedGroupOf = (
  { Instances = [], InstanceLifecyclePolicy: policy, Tags }: Partial<AutoScalingGroup>,
  warm: readonly Instance[] = [],
): DrainedGroup => ({
  tags: labelsOf(Tags),
  instances: [...Instances, ...warm].map(groupInstanceOf),
  onAbandon: policy?.RetentionTriggers?.TerminateHookAbandon === "retain" ? "retain" : "terminate",
});

function maintenanceOf({
  InstanceMaintenancePolicy: policy = {},
}: Partial<AutoScalingGroup>): ScalingGroup["maintenance"] {
  const { MinHealthyPercentage: min = -1, MaxHealthyPercentage: max = -1 } = policy;
  return min < 0 || max < 0 ? { kind: "none" } : { kind: "bounds", min, max };
}

function sourceOf(group: Partial<AutoScalingGroup>): LaunchSource {
  const { LaunchTemplate: template, MixedInstancesPolicy: policy } = group;
  if (template !== undefined) return { kind: "template", template: namedTemplate(template) };
  const { LaunchTemplateSpecification: base, Overrides: others = [] } =
    policy?.LaunchTemplate ?? {};
  if (base === undefined)
    return { kind: "configuration", name: group.LaunchConfigurationName ?? "" };
  const overrides = others.flatMap(({ LaunchTemplateSpecification: own }) =>
    own === undefined ? [] : [namedTemplate(own)],
  );
  const isWeighted = others.some(({ WeightedCapacity: weight = "1" }) => weight !== "1");
  const weights = isWeighted ? "some" : "none";
  return { kind: "mixed", template: namedTemplate(base), overrides, weights };
}

const namedTemplate = (named: LaunchTemplateSpecification): NamedTemplate => ({
  template: named.LaunchTemplateId ?? named.LaunchTemplateName ?? "",
  version: namedVersion(named.Version),
});

/** @see https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_LaunchTemplateSpecification.html */
function namedVersion(version = "$Default"): NamedVersion {
  return version === "$Default" || version === "$Latest" ? version : Number(version);
}

const groupInstanceOf = (instance: Instance): GroupInstance => ({
  id: instanceId(instance.InstanceId ?? ""),
  zone: instance.AvailabilityZone ?? "",
  state: instance.LifecycleState ?? "Unknown",
  source: versionOf(instance),
  protection: instance.ProtectedFromScaleIn === true ? "scale-in" : "none",
  health: instance.HealthStatus?.toLowerCase() === "unhealthy" ? "unhealthy" : "healthy",
});

/** Auto Scaling returns the version number that an instance was launched by, even if the group names `$Latest` or `$Default`. */
function versionOf({ LaunchTemplate: launchedBy }: Instance): GroupInstance["source"] {
  if (launchedBy === undefined) return "configuration";
  const { LaunchTemplateId: id, LaunchTemplateName: name, Version: version } = launchedBy;
  return { template: id ?? name ?? "", version: Number(version) };
}
