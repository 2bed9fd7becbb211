import type {
  Activity,
  AutoScalingGroup,
  Instance,
  LaunchTemplateSpecification,
  MixedInstancesPolicy,
} from "@aws-sdk/client-auto-scaling";
import { type GroupName, groupName, instanceId } from "../base/ids.ts";
import { instant } from "../base/time.ts";
import type {
  FailedActivity,
  Fleet,
  FleetInstance,
  LaunchSource,
  NamedTemplate,
  NamedVersion,
} from "../group/fleet.ts";
import { labelsOf } from "./auto-scaling-groups.ts";
import { templateAddress } from "./named-template.ts";

/** Reads a group, whose warm pool has these instances. */
export const fleetOf = (group: Partial<AutoScalingGroup>, warm: readonly Instance[]): Fleet => ({
  name: groupName(group.AutoScalingGroupName ?? ""),
  sizes: {
    min: group.MinSize ?? 0,
    max: group.MaxSize ?? 0,
    desired: group.DesiredCapacity ?? 0,
  },
  zones: group.AvailabilityZones ?? [],
  tags: labelsOf(group.Tags),
  source: sourceOf(group),
  instances: [...(group.Instances ?? []), ...warm].map(fleetInstanceOf),
  suspended: (group.SuspendedProcesses ?? []).map(({ ProcessName: name }) => name ?? ""),
});

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

const fleetInstanceOf = (instance: Instance): FleetInstance => ({
  id: instanceId(instance.InstanceId ?? ""),
  zone: instance.AvailabilityZone ?? "",
  state: instance.LifecycleState ?? "Unknown",
  source: versionOf(instance),
  protection: instance.ProtectedFromScaleIn === true ? "scale-in" : "none",
  health: instance.HealthStatus?.toLowerCase() === "unhealthy" ? "unhealthy" : "healthy",
});

/** Auto Scaling tells of an instance which number its template had then, also where the group names one that moves. */
function versionOf({ LaunchTemplate: launchedBy }: Instance): FleetInstance["source"] {
  if (launchedBy === undefined) return "configuration";
  const { LaunchTemplateId: id, LaunchTemplateName: name, Version: version } = launchedBy;
  return { template: id ?? name ?? "", version: Number(version) };
}

// A launch that its hook abandons ends as cancelled.
const failed: ReadonlySet<string | undefined> = new Set(["Cancelled", "Failed"]);

/** Reads an activity; none unless it failed. */
export function failuresIn(activity: Activity): readonly FailedActivity[] {
  const { StatusCode: status, StartTime: started } = activity;
  if (!failed.has(status)) return [];
  return [
    {
      at: instant(started?.getTime() ?? 0),
      description: activity.Description ?? "",
      message: activity.StatusMessage ?? "",
    },
  ];
}

/** Names a tag of a group in a request; its instances do not get it. */
export const tagOf = (group: GroupName, Key: string) => ({
  ResourceId: group,
  ResourceType: "auto-scaling-group",
  Key,
  PropagateAtLaunch: false,
});

/** The policy with another template, and all else said again, for AWS does not tell what becomes of what is left out. */
export function policyBy(policy: MixedInstancesPolicy, named: LaunchTemplateSpecification) {
  const Overrides = policy.LaunchTemplate?.Overrides?.map((override) =>
    override.LaunchTemplateSpecification === undefined
      ? override
      : {
          ...override,
          LaunchTemplateSpecification: addressed(override.LaunchTemplateSpecification),
        },
  );
  return { ...policy, LaunchTemplate: { LaunchTemplateSpecification: named, Overrides } };
}

const addressed = ({
  LaunchTemplateId: id,
  LaunchTemplateName: name = "",
  Version,
}: LaunchTemplateSpecification) => ({
  ...templateAddress(id ?? name),
  Version,
});
