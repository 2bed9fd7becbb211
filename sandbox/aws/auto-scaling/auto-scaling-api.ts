import {
  type AutoScalingGroupNamesType,
  CompleteLifecycleAction$,
  type CompleteLifecycleActionType,
  DeleteLifecycleHook$,
  type DeleteLifecycleHookType,
  DescribeAutoScalingGroups$,
  DescribeAutoScalingInstances$,
  type DescribeAutoScalingInstancesType,
  DescribeLaunchConfigurations$,
  DescribeLifecycleHooks$,
  type DescribeLifecycleHooksType,
  DescribeTags$,
  type DescribeTagsType,
  type LaunchConfigurationNamesType,
  PutLifecycleHook$,
  type PutLifecycleHookType,
  RecordLifecycleActionHeartbeat$,
  type RecordLifecycleActionHeartbeatType,
  SetDesiredCapacity$,
  type SetDesiredCapacityType,
  TerminateInstanceInAutoScalingGroup$,
  type TerminateInstanceInAutoScalingGroupType,
} from "@aws-sdk/client-auto-scaling";
import { seconds } from "../../../lambda/domain/time.ts";
import type { Timeline } from "../../timeline.ts";
import { type Operation, type OperationSchema, operation, operationName } from "../operation.ts";
import type { AutoScaling } from "./auto-scaling.ts";
import { validationError } from "./auto-scaling-errors.ts";
import { wireTermination } from "./auto-scaling-shapes.ts";
import {
  describeConfigurations,
  describeGroups,
  describeHooks,
  describeInstances,
  describeTags,
} from "./describe-calls.ts";
import type { Hook } from "./group.ts";
import type { HookChange } from "./hook-change.ts";
import type { ActionAddress } from "./instance-journeys.ts";

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

function hookOf(request: PutLifecycleHookType): HookChange {
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

/** An operation that reads: IAM allows it without naming a resource. */
const reading = <Input, Output>(schema: OperationSchema, run: (input: Input) => Output) =>
  operation<Input, Output>(schema, {
    permissions: () => [{ action: `autoscaling:${operationName(schema)}`, resource: "*" }],
    run,
  });

const readingOperations = ({ register }: AutoScaling): readonly Operation[] => [
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
  reading<DescribeTagsType, object>(DescribeTags$, (request) => describeTags(register, request)),
];

interface OfGroup {
  readonly AutoScalingGroupName?: string | undefined;
  readonly InstanceId?: string | undefined;
}

/** The group that a request names, or the group of the instance it names, as a resource with its condition keys. */
function resourceOf({ register }: AutoScaling, { AutoScalingGroupName, InstanceId }: OfGroup) {
  const member = register.instances().find(({ id }) => id === InstanceId);
  const group = register.tryFindGroup(AutoScalingGroupName ?? member?.group ?? "");
  const tags = group?.tags.map(({ key, value }) => [`autoscaling:ResourceTag/${key}`, value]);
  return { resource: group?.arn ?? "*", context: Object.fromEntries(tags ?? []) };
}

/** The operations of Auto Scaling that the sandbox supports. */
export function autoScalingOperations(
  groups: AutoScaling,
  timeline: Timeline,
): readonly Operation[] {
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
    changing<SetDesiredCapacityType>(SetDesiredCapacity$, (request) =>
      groups.setDesired(request.AutoScalingGroupName ?? "", request.DesiredCapacity ?? 0),
    ),
    changing<TerminateInstanceInAutoScalingGroupType>(
      TerminateInstanceInAutoScalingGroup$,
      (request) => terminate(groups, request, timeline),
    ),
  ];
}
