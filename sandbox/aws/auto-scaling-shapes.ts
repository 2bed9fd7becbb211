import { randomUUID } from "node:crypto";
import type {
  Activity,
  AutoScalingGroup,
  AutoScalingInstanceDetails,
  Instance,
  InstanceRefresh,
  LaunchConfiguration,
  LifecycleHook,
  TagDescription,
} from "@aws-sdk/client-auto-scaling";
import { hours, type Instant, seconds, shortest, wholeSeconds } from "../../lambda/base/time.ts";
import type { Group, GroupInstance, Hook, LaunchTemplate, Refresh } from "./group.ts";
import type { ScalingActivity } from "./scaling-activities.ts";

const wireTemplate = ({ id, name, version }: LaunchTemplate) => ({
  LaunchTemplateId: id,
  LaunchTemplateName: name,
  Version: version,
});

const launchedBy = ({ template }: Pick<GroupInstance, "template">) =>
  template.kind === "configuration"
    ? { LaunchConfigurationName: template.name }
    : { LaunchTemplate: wireTemplate(template) };

/**
 * The launch source of a group.
 * @see https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_InstancesDistribution.html
 */
function launchSource({ template, overrides }: Group) {
  if (overrides === "no-policy") return launchedBy({ template });
  const Overrides = overrides.map(({ type: InstanceType, template: own }) => ({
    InstanceType,
    ...(own !== "of-policy" && { LaunchTemplateSpecification: wireTemplate(own) }),
  }));
  return {
    MixedInstancesPolicy: {
      LaunchTemplate: { LaunchTemplateSpecification: wireTemplate(template), Overrides },
      InstancesDistribution: {
        OnDemandAllocationStrategy: "prioritized",
        OnDemandBaseCapacity: 0,
        OnDemandPercentageAboveBaseCapacity: 100,
        SpotAllocationStrategy: "price-capacity-optimized",
      },
    },
  };
}

/** Writes an instance as DescribeAutoScalingInstances answers it. */
export const wireInstanceDetails = (instance: GroupInstance): AutoScalingInstanceDetails => ({
  InstanceId: instance.id,
  InstanceType: instance.type,
  AutoScalingGroupName: instance.group,
  AvailabilityZone: instance.zone,
  LifecycleState: instance.state,
  HealthStatus: instance.health.toUpperCase(),
  ...launchedBy(instance),
  ProtectedFromScaleIn: instance.protection === "scale-in",
});

/** Writes an instance as DescribeAutoScalingGroups and DescribeWarmPool answer it. */
export const wireInstance = (instance: GroupInstance): Instance => ({
  InstanceId: instance.id,
  InstanceType: instance.type,
  AvailabilityZone: instance.zone,
  LifecycleState: instance.state as Instance["LifecycleState"],
  HealthStatus: instance.health === "healthy" ? "Healthy" : "Unhealthy",
  ...launchedBy(instance),
  ProtectedFromScaleIn: instance.protection === "scale-in",
});

/** Writes a launch configuration as DescribeLaunchConfigurations answers it. */
export const wireConfiguration = (configuration: LaunchTemplate): LaunchConfiguration => ({
  LaunchConfigurationName: configuration.name,
  ImageId: configuration.imageId,
  InstanceType: configuration.instanceType,
  CreatedTime: new Date(0),
  ...(configuration.profileArn !== "" && { IamInstanceProfile: configuration.profileArn }),
});

/** Writes the tags of a group. */
const wireTags = ({ name, tags }: Group): TagDescription[] =>
  tags.map(({ key, value, propagated }) => ({
    ResourceId: name,
    ResourceType: "auto-scaling-group",
    Key: key,
    Value: value,
    PropagateAtLaunch: propagated,
  }));

/** Writes a group as DescribeAutoScalingGroups answers it; of its warm pool, only the size. */
export function wireGroup(group: Group, instances: readonly GroupInstance[]): AutoScalingGroup {
  const { warmPool, maintenance } = group;
  const warm = instances.filter(({ state }) => state.startsWith("Warmed:"));
  return {
    AutoScalingGroupName: group.name,
    AutoScalingGroupARN: group.arn,
    ...launchSource(group),
    MinSize: group.min,
    MaxSize: group.max,
    DesiredCapacity: group.desired,
    DefaultCooldown: 300,
    AvailabilityZones: [...group.zones],
    LoadBalancerNames: [],
    TargetGroupARNs: [],
    HealthCheckType: "EC2",
    HealthCheckGracePeriod: wholeSeconds(group.healthGrace),
    Instances: instances.filter((instance) => !warm.includes(instance)).map(wireInstance),
    CreatedTime: new Date(group.createdAt),
    SuspendedProcesses: group.suspended.map((name) => ({
      ProcessName: name,
      SuspensionReason: "User suspended at 2026-03-01T00:00:00Z",
    })),
    EnabledMetrics: [],
    Tags: wireTags(group),
    TerminationPolicies: ["Default"],
    NewInstancesProtectedFromScaleIn: false,
    TrafficSources: [],
    InstanceLifecyclePolicy: { RetentionTriggers: { TerminateHookAbandon: group.onAbandon } },
    ...(maintenance.kind === "bounds" && {
      InstanceMaintenancePolicy: {
        MinHealthyPercentage: maintenance.min,
        MaxHealthyPercentage: maintenance.max,
      },
    }),
    ...(group.operator !== "" && { Operator: { Principal: group.operator } }),
    WarmPoolSize: warm.length,
    ...(warmPool.kind === "none"
      ? {}
      : {
          WarmPoolConfiguration: {
            PoolState: warmPool.state,
            InstanceReusePolicy: { ReuseOnScaleIn: warmPool.onScaleIn === "reuse" },
          },
        }),
  };
}

const orNone = (text: string): string | undefined => (text === "" ? undefined : text);

/** Writes a hook as DescribeLifecycleHooks answers it. */
export function wireHook(hook: Hook, group: string): LifecycleHook {
  const heartbeat = wholeSeconds(hook.heartbeat);
  return {
    LifecycleHookName: hook.name,
    AutoScalingGroupName: group,
    LifecycleTransition: hook.transition,
    NotificationTargetARN: orNone(hook.targetArn),
    RoleARN: orNone(hook.roleArn),
    NotificationMetadata: orNone(hook.metadata),
    HeartbeatTimeout: heartbeat,
    GlobalTimeout: wholeSeconds(shortest(hours(48), seconds(100 * heartbeat))),
    DefaultResult: hook.defaultResult,
  };
}

/** Writes an activity as DescribeScalingActivities answers it. */
export const wireActivity = (activity: ScalingActivity): Activity => ({
  ActivityId: activity.id,
  AutoScalingGroupName: activity.group,
  Description: activity.description,
  Cause: activity.cause,
  StartTime: new Date(activity.startedAt),
  ...(activity.endedAt !== "open" && { EndTime: new Date(activity.endedAt) }),
  StatusCode: activity.status,
  ...(activity.message !== "" && { StatusMessage: activity.message }),
  Progress: activity.endedAt === "open" ? 50 : 100,
  Details: JSON.stringify({ "Availability Zone": activity.zone }),
});

/** Writes an instance refresh as DescribeInstanceRefreshes answers it. */
export const wireRefresh = (
  { id, status, startedAt }: Refresh,
  group: string,
): InstanceRefresh => ({
  InstanceRefreshId: id,
  AutoScalingGroupName: group,
  Status: status,
  StartTime: new Date(startedAt),
});

/** Writes the activity that a termination is. */
export const wireTermination = ({ id, group, zone }: GroupInstance, at: Instant): Activity => ({
  ActivityId: randomUUID(),
  AutoScalingGroupName: group,
  Description: `Terminating EC2 instance: ${id}`,
  Cause: `At ${new Date(at).toISOString()} instance ${id} was taken out of service in response to a user request.`,
  StartTime: new Date(at),
  StatusCode: "InProgress",
  Progress: 0,
  Details: JSON.stringify({ "Availability Zone": zone }),
});
