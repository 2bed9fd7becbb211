import type {
  LaunchTemplateSpecification,
  MixedInstancesPolicy,
  UpdateAutoScalingGroupType,
} from "@aws-sdk/client-auto-scaling";
import { minutes, seconds, wholeSeconds } from "../../lambda/base/time.ts";
import { AwsError, validationError } from "./aws-error.ts";
import {
  type Group,
  type Hook,
  hookDefaults,
  type LaunchTemplate,
  type TemplateOverride,
} from "./group.ts";
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

/** What UpdateAutoScalingGroup can change of a group in the sandbox. */
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
