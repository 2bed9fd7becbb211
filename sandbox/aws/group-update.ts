import type {
  LaunchTemplateSpecification,
  MixedInstancesPolicy,
  Tag,
  UpdateAutoScalingGroupType,
} from "@aws-sdk/client-auto-scaling";
import { minutes, seconds, wholeSeconds } from "../../lambda/base/time.ts";
import { AwsError, validationError } from "./aws-error.ts";
import {
  type Group,
  type GroupTag,
  type Hook,
  hookDefaults,
  type LaunchTemplate,
  type TemplateOverride,
} from "./group.ts";
import type { GroupRegister } from "./group-register.ts";
import type { LaunchTemplates } from "./launch-templates.ts";

/** A hook's name, and the fields to set. */
export type HookUpdate = Pick<Hook, "name"> & Partial<Hook>;

const shortestHeartbeat = seconds(30);
const longestHeartbeat = minutes(120);
const mostHooks = 50;

/** A hook after a change; a field that is not given keeps its value, or gets its default. */
export function changedHook(hooks: readonly Hook[], change: HookUpdate): Hook {
  const earlier = hooks.find(({ name }) => name === change.name);
  const transition = change.transition ?? earlier?.transition;
  if (transition === undefined)
    throw validationError("Lifecycle Transition is required when creating a Lifecycle Hook.");
  if (earlier === undefined && hooks.length >= mostHooks)
    throw validationError(`The maximum number of lifecycle hooks is ${mostHooks}.`);
  const hook: Hook = { ...hookDefaults, ...earlier, ...change, transition };
  if (hook.heartbeat < shortestHeartbeat || hook.heartbeat > longestHeartbeat)
    throw validationError(
      `Heartbeat Timeout must be between 30 and 7200 seconds, not ${wholeSeconds(hook.heartbeat)}.`,
    );
  return hook;
}

/** The fields of a group that UpdateAutoScalingGroup can change in the sandbox. */
export type GroupChange = Pick<
  UpdateAutoScalingGroupType,
  "DesiredCapacity" | "LaunchTemplate" | "MaxSize" | "MinSize" | "MixedInstancesPolicy"
>;

/** A group after UpdateAutoScalingGroup. */
export function changedGroup(group: Group, change: GroupChange, templates: LaunchTemplates): Group {
  const { LaunchTemplate: template, MixedInstancesPolicy: policy } = change;
  return {
    ...group,
    ...sizesOf(group, change),
    ...(template === undefined
      ? {}
      : { template: named(template, templates), overrides: "no-policy" }),
    ...(policy === undefined ? {} : byPolicy(policy, templates)),
  };
}

/** Limits that leave the desired capacity out of their bounds move it, unless the request names it. */
function sizesOf(group: Group, { MinSize, MaxSize, DesiredCapacity }: GroupChange) {
  const { min, max } = { min: MinSize ?? group.min, max: MaxSize ?? group.max };
  const desired = DesiredCapacity ?? Math.min(Math.max(group.desired, min), max);
  if (desired < min || desired > max)
    throw validationError(
      `Desired capacity:${desired} must be between the specified min size:${min} and max size:${max}`,
    );
  return { min, max, desired };
}

/** A policy that comes without its overrides has none. */
function byPolicy(
  { LaunchTemplate: launched = {} }: MixedInstancesPolicy,
  templates: LaunchTemplates,
) {
  const { LaunchTemplateSpecification: base = {}, Overrides: others = [] } = launched;
  const overrides = others.map(
    ({ InstanceType: type = "", LaunchTemplateSpecification: own }): TemplateOverride => ({
      type,
      template: own === undefined ? "of-policy" : named(own, templates),
    }),
  );
  return { template: named(base, templates), overrides };
}

/** The template that a request names, with the version as it names it. */
function named(spec: LaunchTemplateSpecification, templates: LaunchTemplates): LaunchTemplate {
  const { Version: version = "$Default" } = spec;
  try {
    return { ...templates.version(spec, version).template, version };
  } catch (cause) {
    if (!(cause instanceof AwsError)) throw cause;
    throw validationError(`You must use a valid fully-formed launch template. ${cause.message}`);
  }
}

const mostTags = 50;
const longestValue = 256;

/** Gives groups tags, as CreateOrUpdateTags does; instances that are there do not get them. */
export function putTags(register: GroupRegister, tags: readonly Tag[]): void {
  for (const tag of tags) {
    const group = groupOf(register, tag);
    register.put({ ...group, tags: changedTags(group, checked(tag)) });
  }
}

/** Takes tags of groups away, as DeleteTags does; tags that are not there do not matter. */
export function deleteTags(register: GroupRegister, tags: readonly Tag[]): void {
  for (const tag of tags) {
    const group = groupOf(register, tag);
    register.put({ ...group, tags: group.tags.filter(({ key }) => key !== tag.Key) });
  }
}

function groupOf(register: GroupRegister, { ResourceId: name, ResourceType: type }: Tag): Group {
  const group = register.tryFindGroup(name ?? "");
  if (group !== undefined && type === "auto-scaling-group") return group;
  throw validationError(`AutoScalingGroup name not found - AutoScalingGroup '${name}' not found`);
}

/** @see https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-tagging.html */
function checked({
  Key: key = "",
  Value: value = "",
  PropagateAtLaunch: propagated,
}: Tag): GroupTag {
  if (key.startsWith("aws:")) throw validationError('Tag keys can\'t start with "aws:"');
  if (key === "" || key.length > 128) throw validationError(`Invalid tag key ${key}`);
  if (value.length > longestValue || !/^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u.test(value))
    throw validationError(`Invalid value ${value} of tag ${key}`);
  return { key, value, propagated: propagated === true };
}

function changedTags({ tags }: Group, tag: GroupTag): readonly GroupTag[] {
  const others = tags.filter(({ key }) => key !== tag.key);
  if (others.length >= mostTags)
    throw validationError(`Limit of ${mostTags} tags per resource reached`);
  return [...others, tag];
}
