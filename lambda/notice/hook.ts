import { groupField, hookField, instanceField, timeField, tokenField } from "../base/field.ts";
import type { ActionToken } from "../base/ids.ts";
import { has, read, type Schema } from "../base/read.ts";
import { anyText, oneOf, optional, orDefault, record } from "../base/schema.ts";
import type { Instant } from "../base/time.ts";
import type { LifecycleAction } from "./lifecycle-action.ts";
import type { AnyNotice, Terminating, Test, Unrelated } from "./notice.ts";

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

/** The notices of one kind of hooks. */
export interface HookReader<N extends AnyNotice> {
  /** The transition in which such a hook holds an instance. */
  readonly transition: string;
  /** The type of the detail in an event of EventBridge about it. */
  readonly event: string;
  notice(
    held: {
      readonly action: LifecycleAction;
      readonly origin: "AutoScalingGroup" | "EC2" | "WarmPool" | undefined;
      readonly destination: "AutoScalingGroup" | "EC2" | "WarmPool" | undefined;
      readonly metadata: string;
    },
    since: Instant,
  ): N;
}

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
export function readHookMessage<N extends AnyNotice>(
  message: unknown,
  path: string,
  hooks: readonly HookReader<N>[],
): N | Test | Unrelated {
  if (has(message, "Event") && !has(message, "LifecycleTransition")) {
    const { Event } = read(announcement, message, path);
    if (Event === trial) return tried(message, path);
    const { Time } = read(dated, message, path);
    return { kind: "unrelated", reason: `${Event} tells of a finished activity`, since: Time };
  }
  const transitions = hooks.map(({ transition }) => transition);
  const known = record({ LifecycleTransition: oneOf(...transitions, trial) });
  const { LifecycleTransition } = read(known, message, path);
  const hook = hooks.find(({ transition }) => transition === LifecycleTransition);
  if (hook === undefined) return tried(message, path);
  const { Time } = read(dated, message, path);
  return readHeld(message, path, hook, Time);
}

/** Reads the notice of a hook, in a message or in an event's detail. */
export function readHeld<N extends AnyNotice>(
  detail: unknown,
  path: string,
  { transition, notice }: HookReader<N>,
  since: Instant,
): N {
  const found = read(record({ LifecycleTransition: oneOf(transition), ...held }), detail, path);
  return notice(
    {
      action: {
        group: found.AutoScalingGroupName,
        hook: found.LifecycleHookName,
        token: found.LifecycleActionToken,
        instance: found.EC2InstanceId,
      },
      origin: found.Origin,
      destination: found.Destination,
      metadata: found.NotificationMetadata,
    },
    since,
  );
}

/** The reader of the notices of terminate hooks. */
export const terminateHook: HookReader<Terminating> = {
  transition: "autoscaling:EC2_INSTANCE_TERMINATING",
  event: "EC2 Instance-terminate Lifecycle Action",
  notice: ({ action, origin, destination, metadata }, since) => ({
    kind: "terminating",
    action,
    origin: origin === "WarmPool" ? "warm-pool" : "group",
    destination: destination === "WarmPool" ? "warm-pool" : "terminated",
    metadata,
    since,
  }),
};

function tried(message: unknown, path: string): Test {
  const { AutoScalingGroupName: group, Time: since } = read(ofGroup, message, path);
  return { kind: "test", group, since };
}
