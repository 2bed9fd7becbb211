import {
  CompleteLifecycleAction$,
  type CompleteLifecycleActionType,
  CreateOrUpdateTags$,
  type CreateOrUpdateTagsType,
  DeleteLifecycleHook$,
  type DeleteLifecycleHookType,
  DeleteTags$,
  type DeleteTagsType,
  PutLifecycleHook$,
  type PutLifecycleHookType,
  RecordLifecycleActionHeartbeat$,
  type RecordLifecycleActionHeartbeatType,
  SetInstanceHealth$,
  type SetInstanceHealthQuery,
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
import { AwsError, validationError } from "./aws-error.ts";
import { readingOperations } from "./describe-calls.ts";
import type { Hook } from "./group.ts";
import { deleteTags, type HookUpdate, putTags } from "./group-update.ts";
import type { ActionAddress } from "./instance-journeys.ts";
import { launchPermissions } from "./launch-permissions.ts";
import { type Operation, type OperationSchema, operation } from "./operation.ts";

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

/** The groups that tags are for, each with the tags and as the resource that IAM checks. */
const tagged = (
  groups: AutoScaling,
  { Tags: tags = [] }: CreateOrUpdateTagsType | DeleteTagsType,
) =>
  [...new Set(tags.map(({ ResourceId: name }) => name))].map((name) => {
    const { resource, context } = resourceOf(groups, { AutoScalingGroupName: name });
    const own = tags.filter(({ ResourceId: other }) => other === name);
    const asked = own.map(({ Key, Value = "" }) => [`aws:RequestTag/${Key}`, Value]);
    const keys = { "aws:TagKeys": own.map(({ Key = "" }) => Key) };
    return { resource, context: { ...context, ...Object.fromEntries(asked), ...keys } };
  });

/** Refuses to change a group that belongs to a service. @see https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_Operator.html */
function assertNoOperator(
  { register }: AutoScaling,
  { AutoScalingGroupName, InstanceId }: OfGroup,
) {
  const member = register.instances().find(({ id }) => id === InstanceId);
  const group = register.tryFindGroup(AutoScalingGroupName ?? member?.group ?? "");
  if (group !== undefined && group.operator !== "")
    throw new AwsError("AccessDenied", `Only ${group.operator} may change group ${group.name}.`, {
      status: 403,
    });
}

/** The operations for which IAM checks more than the group. */
const withRights = (aws: Aws, { register } = aws.autoScaling): readonly Operation[] => [
  operation<UpdateAutoScalingGroupType>(
    "autoscaling",
    UpdateAutoScalingGroup$,
    (request) => {
      assertNoOperator(aws.autoScaling, request);
      aws.autoScaling.update(request.AutoScalingGroupName ?? "", request);
    },
    (request) => [resourceOf(aws.autoScaling, request), ...launchPermissions(aws, request)],
  ),
  operation<CreateOrUpdateTagsType>(
    "autoscaling",
    CreateOrUpdateTags$,
    ({ Tags = [] }) => {
      for (const { ResourceId } of Tags)
        assertNoOperator(aws.autoScaling, { AutoScalingGroupName: ResourceId });
      putTags(register, Tags);
    },
    (request) => tagged(aws.autoScaling, request),
  ),
  operation<DeleteTagsType>(
    "autoscaling",
    DeleteTags$,
    ({ Tags = [] }) => deleteTags(register, Tags),
    (request) => tagged(aws.autoScaling, request),
  ),
];

/** The operations of Auto Scaling that the sandbox supports. */
export function autoScalingOperations(aws: Aws): readonly Operation[] {
  const { autoScaling: groups, timeline } = aws;
  const changing = <Input extends OfGroup>(
    schema: OperationSchema,
    run: (input: Input, group: string) => unknown,
  ) =>
    operation<Input>(
      "autoscaling",
      schema,
      (input) => {
        assertNoOperator(groups, input);
        return run(input, input.AutoScalingGroupName ?? "");
      },
      (input) => resourceOf(groups, input),
    );
  return [
    ...readingOperations(groups),
    ...withRights(aws),
    changing<PutLifecycleHookType>(PutLifecycleHook$, (request, group) =>
      groups.putHook(group, hookOf(request)),
    ),
    changing<DeleteLifecycleHookType>(
      DeleteLifecycleHook$,
      ({ LifecycleHookName: hook = "" }, group) => groups.deleteHook(group, hook),
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
  ];
}
