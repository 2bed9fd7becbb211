import {
  type AutoScalingGroupNamesType,
  DescribeAccountSettings$,
  type DescribeAccountSettingsType,
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
  type Filter,
  type LaunchConfigurationNamesType,
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
import { type Operation, type OperationSchema, operation } from "./operation.ts";
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
const passes = (tags: readonly GroupTag[], filters: readonly Filter[]): boolean =>
  filters.every(({ Name = "", Values = [] }) => matches(tags, Name, Values));

interface OfPage {
  readonly AutoScalingGroupName?: string | undefined;
  readonly MaxRecords?: number | undefined;
  readonly NextToken?: string | undefined;
}

/** An operation that reads: IAM allows it without naming a resource. */
const reading = <Input extends OfPage>(
  schema: OperationSchema,
  run: (input: Input, group: string) => object,
) =>
  operation<Input>("autoscaling", schema, (input) => run(input, input.AutoScalingGroupName ?? ""));

const paged = <Item>(
  { MaxRecords: size = limit, NextToken: token }: OfPage,
  all: readonly Item[],
) => page(all, { size, token });

/** Auto Scaling's lists of groups and instances; they leave out unknown names. */
const listings = ({ register }: AutoScaling): readonly Operation[] => [
  reading<AutoScalingGroupNamesType>(DescribeAutoScalingGroups$, (request) => {
    const { Filters = [] } = request;
    const names = limited(request.AutoScalingGroupNames, "group names");
    const wanted = register
      .groups()
      .filter(({ name, tags }) => (names?.includes(name) ?? true) && passes(tags, Filters));
    const { items, next } = paged(request, wanted);
    const groups = items.map((group) => wireGroup(group, register.instancesOf(group.name)));
    return { AutoScalingGroups: groups, NextToken: next };
  }),
  reading<DescribeAutoScalingInstancesType>(DescribeAutoScalingInstances$, (request) => {
    const ids = limited(request.InstanceIds, "instance ids");
    const wanted = register.instances().filter(({ id }) => ids?.includes(id) ?? true);
    const { items, next } = paged(request, wanted);
    return { AutoScalingInstances: items.map(wireInstanceDetails), NextToken: next };
  }),
  reading<LaunchConfigurationNamesType>(
    DescribeLaunchConfigurations$,
    ({ LaunchConfigurationNames: names = [] }) => {
      const configurations = register
        .groups()
        .map(({ template }) => template)
        .filter(({ kind, name }) => kind === "configuration" && names.includes(name));
      return { LaunchConfigurations: configurations.map(wireConfiguration) };
    },
  ),
];

/** The account's settings. @see https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-account-settings.html */
const ofAccount = (groups: AutoScaling): readonly Operation[] => [
  reading<DescribeAccountSettingsType & OfPage>(DescribeAccountSettings$, (request) => {
    const { launchBeforeTerminate: Value } = groups;
    const all = [{ Name: "launchBeforeTerminate", Value, EnforcementType: "none" }];
    const { items, next } = paged(
      request,
      all.filter(({ Name }) => Name === (request.Name ?? Name)),
    );
    return { Settings: items, NextToken: next };
  }),
];

/** Auto Scaling's details of one group. */
const details = ({ register, activities }: AutoScaling): readonly Operation[] => [
  reading<DescribeLifecycleHooksType>(
    DescribeLifecycleHooks$,
    ({ LifecycleHookNames: names }, group) => {
      const { hooks } = register.findGroup(group);
      const wanted = hooks.filter((hook) => names?.includes(hook.name) ?? true);
      return { LifecycleHooks: wanted.map((hook) => wireHook(hook, group)) };
    },
  ),
  reading<DescribeWarmPoolType>(DescribeWarmPool$, (request, group) => {
    const { warmPool } = register.findGroup(group);
    const warm = register.instancesOf(group).filter(({ state }) => state.startsWith("Warmed:"));
    const { items, next } = paged(request, warm);
    return {
      ...(warmPool.kind === "pool" && { WarmPoolConfiguration: { PoolState: warmPool.state } }),
      Instances: items.map(wireInstance),
      NextToken: next,
    };
  }),
  reading<DescribeScalingActivitiesType>(DescribeScalingActivities$, (request, group) => {
    const all = activities.of(register.findGroup(group).name);
    const { items, next } = paged({ MaxRecords: 100, ...request }, all);
    return { Activities: items.map(wireActivity), NextToken: next };
  }),
  reading<DescribeInstanceRefreshesType>(DescribeInstanceRefreshes$, (request, group) => {
    const { items, next } = paged(request, register.findGroup(group).refreshes);
    return { InstanceRefreshes: items.map((one) => wireRefresh(one, group)), NextToken: next };
  }),
];

/** The operations of Auto Scaling that only read. */
export const readingOperations = (groups: AutoScaling): readonly Operation[] => [
  ...listings(groups),
  ...details(groups),
  ...ofAccount(groups),
];
