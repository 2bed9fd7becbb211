import {
  type AutoScalingGroupNamesType,
  CompleteLifecycleAction$,
  type CompleteLifecycleActionType,
  CreateOrUpdateTags$,
  type CreateOrUpdateTagsType,
  DeleteLifecycleHook$,
  type DeleteLifecycleHookType,
  DeleteTags$,
  type DeleteTagsType,
  DescribeAutoScalingGroups$,
  DescribeAutoScalingInstances$,
  type DescribeAutoScalingInstancesType,
  DescribeInstanceRefreshes$,
  type DescribeInstanceRefreshesType,
  DescribeLaunchConfigurations$,
  DescribeLifecycleHooks$,
  type DescribeLifecycleHooksType,
  DescribeScalingActivities$,
  type DescribeScalingActivitiesType,
  DescribeWarmPool$,
  type DescribeWarmPoolType,
  type LaunchConfigurationNamesType,
  PutLifecycleHook$,
  type PutLifecycleHookType,
  RecordLifecycleActionHeartbeat$,
  type RecordLifecycleActionHeartbeatType,
  SetInstanceHealth$,
  type SetInstanceHealthQuery,
  type Tag,
  TerminateInstanceInAutoScalingGroup$,
  type TerminateInstanceInAutoScalingGroupType,
  UpdateAutoScalingGroup$,
  type UpdateAutoScalingGroupType,
} from "@aws-sdk/client-auto-scaling";
import { seconds } from "../../lambda/base/time.ts";
import type { Timeline } from "../timeline.ts";
import type { AutoScaling } from "./auto-scaling.ts";
import { wireTermination } from "./auto-scaling-shapes.ts";
import type { Aws } from "./aws.ts";
import { validationError } from "./aws-error.ts";
import {
  describeActivities,
  describeConfigurations,
  describeGroups,
  describeHooks,
  describeInstances,
  describeRefreshes,
  describeWarmPool,
} from "./describe-calls.ts";
import type { Hook } from "./group.ts";
import { deleteTags, putTags } from "./group-tags.ts";
import type { HookUpdate } from "./group-update.ts";
import type { ActionAddress } from "./instance-journeys.ts";
import { launchPermissions } from "./launch-permissions.ts";
import { type Operation, type OperationSchema, operation, operationName } from "./operation.ts";

type Addressed = Omit<RecordLifecycleActionHeartbeatType, "LifecycleActionToken"> & {
  readonly LifecycleActionToken?: string | undefined;
};

/** If a request has both a token and an instance id, the token counts. */
function addressOf(request: Addressed): ActionAddress {
  const { AutoScalingGroupName: group = "", LifecycleHookName: hook = "" } = request;
  const { LifecycleActionToken: token, InstanceId: instance } = request;
  if (token !== undefined) return { group, hook, by: { kind: "token", value: token } };
  if (instance !== undefined) return { group, hook, by: { kind: "instance", value: instance } };
  throw validationError("Either Lifecycle Action Token or Instance Id must be specified.");
}

const given = <Value extends object>(fields: Value): Partial<Value> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<Value>;

function hookOf(request: PutLifecycleHookType): HookUpdate {
  const { HeartbeatTimeout: heartbeat } = request;
  return {
    name: request.LifecycleHookName ?? "",
    ...(given({
      transition: request.LifecycleTransition,
      heartbeat: heartbeat === undefined ? undefined : seconds(heartbeat),
      defaultResult: request.DefaultResult,
      targetArn: request.NotificationTargetARN,
      roleArn: request.RoleARN,
      metadata: request.NotificationMetadata,
    }) as Partial<Hook>),
  };
}

function terminate(
  groups: AutoScaling,
  request: TerminateInstanceInAutoScalingGroupType,
  timeline: Timeline,
) {
  const { InstanceId: id, InstanceIds: ids = [], ShouldDecrementDesiredCapacity: less } = request;
  const all = id === undefined ? ids : [id];
  const activities = all.map((one) => {
    const instance = groups.terminateInstance(one, less === true ? "decrement" : "keep");
    return wireTermination(instance, timeline.now());
  });
  return id === undefined ? { Activities: activities } : { Activity: activities[0] };
}

function setHealth(groups: AutoScaling, request: SetInstanceHealthQuery): void {
  const { InstanceId: id = "", HealthStatus: status = "", ShouldRespectGracePeriod } = request;
  if (status !== "Healthy" && status !== "Unhealthy")
    throw validationError(`Health status must be one of: [Healthy, Unhealthy], not ${status}`);
  const health = status === "Healthy" ? "healthy" : "unhealthy";
  groups.setHealth(id, health, ShouldRespectGracePeriod === false ? "ignored" : "respected");
}

/** An operation that reads: IAM allows it without naming a resource. */
const reading = <Input, Output>(schema: OperationSchema, run: (input: Input) => Output) =>
  operation<Input, Output>(schema, {
    permissions: () => [{ action: `autoscaling:${operationName(schema)}`, resource: "*" }],
    run,
  });

const readingOperations = (groups: AutoScaling, { register } = groups): readonly Operation[] => [
  reading<AutoScalingGroupNamesType, object>(DescribeAutoScalingGroups$, (request) =>
    describeGroups(register, request),
  ),
  reading<DescribeAutoScalingInstancesType, object>(DescribeAutoScalingInstances$, (request) =>
    describeInstances(register, request),
  ),
  reading<DescribeLifecycleHooksType, object>(DescribeLifecycleHooks$, (request) =>
    describeHooks(register, request),
  ),
  reading<LaunchConfigurationNamesType, object>(DescribeLaunchConfigurations$, (request) =>
    describeConfigurations(register, request),
  ),
  reading<DescribeWarmPoolType, object>(DescribeWarmPool$, (request) =>
    describeWarmPool(register, request),
  ),
  reading<DescribeScalingActivitiesType, object>(DescribeScalingActivities$, (request) =>
    describeActivities(groups, request),
  ),
  reading<DescribeInstanceRefreshesType, object>(DescribeInstanceRefreshes$, (request) =>
    describeRefreshes(register, request),
  ),
];

interface OfGroup {
  readonly AutoScalingGroupName?: string | undefined;
  readonly InstanceId?: string | undefined;
}

/** The group that a request names, or the group of the instance it names, as a resource with its condition keys. */
function resourceOf({ register }: AutoScaling, { AutoScalingGroupName, InstanceId }: OfGroup) {
  const member = register.instances().find(({ id }) => id === InstanceId);
  const group = register.tryFindGroup(AutoScalingGroupName ?? member?.group ?? "");
  const tags = group?.tags.flatMap(({ key, value }) => [
    [`autoscaling:ResourceTag/${key}`, value],
    [`aws:ResourceTag/${key}`, value],
  ]);
  return { resource: group?.arn ?? "*", context: Object.fromEntries(tags ?? []) };
}

/** An operation on tags names its groups in the tags. */
const tagging = (
  groups: AutoScaling,
  schema: OperationSchema,
  run: (tags: readonly Tag[]) => void,
): Operation =>
  operation<CreateOrUpdateTagsType | DeleteTagsType, void>(schema, {
    permissions: ({ Tags: tags = [] }) =>
      [...new Set(tags.map(({ ResourceId: name }) => name))].map((name) => {
        const { resource, context } = resourceOf(groups, { AutoScalingGroupName: name });
        const own = tags.filter(({ ResourceId: other }) => other === name);
        const asked = own.map(({ Key, Value = "" }) => [`aws:RequestTag/${Key}`, Value]);
        const keys = { "aws:TagKeys": own.map(({ Key = "" }) => Key) };
        const action = `autoscaling:${operationName(schema)}`;
        return { action, resource, context: { ...context, ...Object.fromEntries(asked), ...keys } };
      }),
    run: ({ Tags: tags = [] }) => run(tags),
  });

/** The operations of Auto Scaling that the sandbox supports. */
export function autoScalingOperations(aws: Aws): readonly Operation[] {
  const { autoScaling: groups, timeline } = aws;
  const changing = <Input extends OfGroup>(
    schema: OperationSchema,
    run: (input: Input) => unknown,
  ) => {
    const action = `autoscaling:${operationName(schema)}`;
    return operation<Input, unknown>(schema, {
      permissions: (input) => [{ action, ...resourceOf(groups, input) }],
      run,
    });
  };
  return [
    ...readingOperations(groups),
    changing<PutLifecycleHookType>(PutLifecycleHook$, (request) =>
      groups.putHook(request.AutoScalingGroupName ?? "", hookOf(request)),
    ),
    changing<DeleteLifecycleHookType>(DeleteLifecycleHook$, (request) =>
      groups.deleteHook(request.AutoScalingGroupName ?? "", request.LifecycleHookName ?? ""),
    ),
    changing<RecordLifecycleActionHeartbeatType>(RecordLifecycleActionHeartbeat$, (request) =>
      groups.heartbeat(addressOf(request)),
    ),
    changing<CompleteLifecycleActionType>(CompleteLifecycleAction$, (request) =>
      groups.complete(addressOf(request), request.LifecycleActionResult ?? ""),
    ),
    changing<SetInstanceHealthQuery>(SetInstanceHealth$, (request) => setHealth(groups, request)),
    changing<TerminateInstanceInAutoScalingGroupType>(
      TerminateInstanceInAutoScalingGroup$,
      (request) => terminate(groups, request, timeline),
    ),
    operation<UpdateAutoScalingGroupType, void>(UpdateAutoScalingGroup$, {
      permissions: (request) => [
        { action: "autoscaling:UpdateAutoScalingGroup", ...resourceOf(groups, request) },
        ...launchPermissions(aws, request),
      ],
      run: (request) => groups.update(request.AutoScalingGroupName ?? "", request),
    }),
    tagging(groups, CreateOrUpdateTags$, (tags) => putTags(groups.register, tags)),
    tagging(groups, DeleteTags$, (tags) => deleteTags(groups.register, tags)),
  ];
}
