import { groupField, hookField, instanceField, timeField, tokenField } from "../base/field.ts";
import type { ActionToken } from "../base/ids.ts";
import { has, read, type Schema, type ValueOf } from "../base/read.ts";
import { anyText, oneOf, optional, orDefault, record } from "../base/schema.ts";
import type { Instant } from "../base/time.ts";
import type { Launching, Notice, Terminating } from "./notice.ts";

const launch = "autoscaling:EC2_INSTANCE_LAUNCHING";
const terminate = "autoscaling:EC2_INSTANCE_TERMINATING";
const trial = "autoscaling:TEST_NOTIFICATION";

/** Where an instance comes from or goes to; groups without a warm pool may leave it out. */
const place = optional(oneOf("EC2", "AutoScalingGroup", "WarmPool"));

/** A notice that is sent again for a lost one says that it knows no token; one that merely lacks it is malformed. */
const tokenOrUnsaid: Schema<ActionToken | "unsaid"> = (value, path) =>
  value === "unsaid" ? value : tokenField(value, path);

const held = {
  AutoScalingGroupName: groupField,
  LifecycleHookName: hookField,
  LifecycleActionToken: tokenOrUnsaid,
  EC2InstanceId: instanceField,
  NotificationMetadata: orDefault(anyText("a text"), ""),
  Origin: place,
  Destination: place,
};

/** The content of a launch hook's notice, in a message or in an event's detail. */
export const launchDetail = record({ LifecycleTransition: oneOf(launch), ...held });

/** The content of a terminate hook's notice, in a message or in an event's detail. */
export const terminateDetail = record({ LifecycleTransition: oneOf(terminate), ...held });

const transition = record({ LifecycleTransition: oneOf(launch, terminate, trial) });

const announcement = record({
  Event: oneOf(
    trial,
    "autoscaling:EC2_INSTANCE_LAUNCH",
    "autoscaling:EC2_INSTANCE_LAUNCH_ERROR",
    "autoscaling:EC2_INSTANCE_TERMINATE",
    "autoscaling:EC2_INSTANCE_TERMINATE_ERROR",
  ),
});

const dated = record({ Time: timeField });
const ofGroup = record({ AutoScalingGroupName: groupField, Time: timeField });

/** Reads a message that Auto Scaling itself publishes: a hook's notice, a test, or the report of a finished activity. */
export function readHookMessage(message: unknown, path: string): Notice {
  if (has(message, "Event") && !has(message, "LifecycleTransition")) {
    const { Event } = read(announcement, message, path);
    if (Event === trial) return tried(message, path);
    const { Time } = read(dated, message, path);
    return { kind: "unrelated", reason: `${Event} tells of a finished activity`, since: Time };
  }
  const { LifecycleTransition } = read(transition, message, path);
  if (LifecycleTransition === trial) return tried(message, path);
  const { Time } = read(dated, message, path);
  return LifecycleTransition === launch
    ? launching(read(launchDetail, message, path), Time)
    : terminating(read(terminateDetail, message, path), Time);
}

/** The notice of a launch hook. */
export function launching(detail: ValueOf<typeof launchDetail>, since: Instant): Launching {
  return {
    kind: "launching",
    action: actionOf(detail),
    origin: detail.Origin === "WarmPool" ? "warm-pool" : "new",
    destination: detail.Destination === "WarmPool" ? "warm-pool" : "group",
    metadata: detail.NotificationMetadata,
    since,
  };
}

/** The notice of a terminate hook. */
export function terminating(detail: ValueOf<typeof terminateDetail>, since: Instant): Terminating {
  return {
    kind: "terminating",
    action: actionOf(detail),
    origin: detail.Origin === "WarmPool" ? "warm-pool" : "group",
    destination: detail.Destination === "WarmPool" ? "warm-pool" : "terminated",
    metadata: detail.NotificationMetadata,
    since,
  };
}

function tried(message: unknown, path: string): Notice {
  const { AutoScalingGroupName: group, Time: since } = read(ofGroup, message, path);
  return { kind: "test", group, since };
}

type HookDetail = ValueOf<typeof launchDetail> | ValueOf<typeof terminateDetail>;

const actionOf = (detail: HookDetail) => ({
  group: detail.AutoScalingGroupName,
  hook: detail.LifecycleHookName,
  token: detail.LifecycleActionToken,
  instance: detail.EC2InstanceId,
});
