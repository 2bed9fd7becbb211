import type {
  ActivitiesType,
  AutoScalingGroupNamesType,
  AutoScalingGroupsType,
  AutoScalingInstancesType,
  DescribeAutoScalingInstancesType,
  DescribeInstanceRefreshesAnswer,
  DescribeInstanceRefreshesType,
  DescribeLifecycleHooksAnswer,
  DescribeLifecycleHooksType,
  DescribeScalingActivitiesType,
  DescribeWarmPoolAnswer,
  DescribeWarmPoolType,
  Filter,
  LaunchConfigurationNamesType,
  LaunchConfigurationsType,
} from "@aws-sdk/client-auto-scaling";
import type { AutoScaling } from "./auto-scaling.ts";
import {
  wireActivity,
  wireConfiguration,
  wireGroup,
  wireHook,
  wireInstance,
  wireInstanceDetails,
  wireRefresh,
} from "./auto-scaling-shapes.ts";
import { validationError } from "./aws-error.ts";
import type { GroupTag } from "./group.ts";
import type { GroupRegister } from "./group-register.ts";
import { page } from "./page.ts";

const limit = 50;

function limited(ids: readonly string[] | undefined, what: string): readonly string[] | undefined {
  if (ids !== undefined && ids.length > limit)
    throw validationError(`The number of ${what} that may be passed in is limited to ${limit}`);
  return ids === undefined || ids.length === 0 ? undefined : ids;
}

function matches(tags: readonly GroupTag[], name: string, values: readonly string[]): boolean {
  if (name === "tag-key") return tags.some(({ key }) => values.includes(key));
  if (!name.startsWith("tag:")) throw validationError(`Filter type ${name} is not correct.`);
  const wanted = name.slice("tag:".length);
  return tags.some(({ key, value }) => key === wanted && values.includes(value));
}

/** Whether a group's tags pass every filter. @see https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_DescribeAutoScalingGroups.html */
const passesTagFilters = (tags: readonly GroupTag[], filters: readonly Filter[]): boolean =>
  filters.every(({ Name = "", Values = [] }) => matches(tags, Name, Values));

/** Answers DescribeAutoScalingGroups; leaves out unknown names. */
export function describeGroups(
  register: GroupRegister,
  request: AutoScalingGroupNamesType,
): AutoScalingGroupsType {
  const { Filters = [], MaxRecords: size = limit, NextToken: token } = request;
  const names = limited(request.AutoScalingGroupNames, "group names");
  const wanted = register
    .groups()
    .filter(({ name, tags }) => (names?.includes(name) ?? true) && passesTagFilters(tags, Filters));
  const { items, next } = page(wanted, { size, token });
  const groups = items.map((group) => wireGroup(group, register.instancesOf(group.name)));
  return { AutoScalingGroups: groups, NextToken: next };
}

/** Answers DescribeAutoScalingInstances; leaves out unknown ids. */
export function describeInstances(
  register: GroupRegister,
  request: DescribeAutoScalingInstancesType,
): AutoScalingInstancesType {
  const { MaxRecords: size = limit, NextToken: token } = request;
  const ids = limited(request.InstanceIds, "instance ids");
  const wanted = register.instances().filter(({ id }) => ids?.includes(id) ?? true);
  const { items, next } = page(wanted, { size, token });
  return { AutoScalingInstances: items.map(wireInstanceDetails), NextToken: next };
}

/** Answers DescribeLifecycleHooks. */
export function describeHooks(
  register: GroupRegister,
  request: DescribeLifecycleHooksType,
): DescribeLifecycleHooksAnswer {
  const { AutoScalingGroupName: name = "", LifecycleHookNames: names } = request;
  const { hooks } = register.findGroup(name);
  const wanted = hooks.filter((hook) => names?.includes(hook.name) ?? true);
  return { LifecycleHooks: wanted.map((hook) => wireHook(hook, name)) };
}

/** Answers DescribeLaunchConfigurations; leaves out unknown names. */
export function describeConfigurations(
  register: GroupRegister,
  request: LaunchConfigurationNamesType,
): LaunchConfigurationsType {
  const { LaunchConfigurationNames: names = [] } = request;
  const configurations = register
    .groups()
    .map(({ template }) => template)
    .filter(({ kind, name }) => kind === "configuration" && names.includes(name));
  return { LaunchConfigurations: configurations.map(wireConfiguration) };
}

/** Answers DescribeWarmPool. */
export function describeWarmPool(
  register: GroupRegister,
  request: DescribeWarmPoolType,
): DescribeWarmPoolAnswer {
  const { AutoScalingGroupName: name = "", MaxRecords: size = limit, NextToken: token } = request;
  const { warmPool } = register.findGroup(name);
  const warm = register.instancesOf(name).filter(({ state }) => state.startsWith("Warmed:"));
  const { items, next } = page(warm, { size, token });
  return {
    ...(warmPool.kind === "pool" && { WarmPoolConfiguration: { PoolState: warmPool.state } }),
    Instances: items.map(wireInstance),
    NextToken: next,
  };
}

/** Answers DescribeScalingActivities, the newest first. */
export function describeActivities(
  { register, activities }: AutoScaling,
  request: DescribeScalingActivitiesType,
): ActivitiesType {
  const { AutoScalingGroupName: name = "", MaxRecords: size = 100, NextToken: token } = request;
  const { items, next } = page(activities.of(register.findGroup(name).name), { size, token });
  return { Activities: items.map(wireActivity), NextToken: next };
}

/** Answers DescribeInstanceRefreshes. */
export function describeRefreshes(
  register: GroupRegister,
  request: DescribeInstanceRefreshesType,
): DescribeInstanceRefreshesAnswer {
  const { AutoScalingGroupName: name = "", MaxRecords: size = limit, NextToken: token } = request;
  const { items, next } = page(register.findGroup(name).refreshes, { size, token });
  return { InstanceRefreshes: items.map((one) => wireRefresh(one, name)), NextToken: next };
}
