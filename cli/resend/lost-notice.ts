import { counted } from "../../lambda/base/counted.ts";
import type { InstanceId } from "../../lambda/base/ids.ts";
import { type Instant, timestamp } from "../../lambda/base/time.ts";

/** An instance of a group, as Auto Scaling and the function's log have it. */
export interface HeldInstance {
  readonly instance: InstanceId;
  readonly group: string;
  /** False if the deployment does not manage the group. */
  readonly isManaged: boolean;
  /** Such as `Terminating:Wait`. */
  readonly state: string;
  /** The hooks of this deployment that may hold it; empty if none does. */
  readonly hooks: readonly string[];
  /** Those of them that are for launches. */
  readonly launchHooks: readonly string[];
  /** The number of passes that the function has started with it in the last hour. */
  readonly passes: number;
}

/** A notice as Auto Scaling's own hook publishes it, but for the token, which nobody but that notice knew. */
export interface LostNotice {
  readonly instance: InstanceId;
  readonly hook: string;
  readonly body: Readonly<Record<string, string>>;
}

export type NoticesToSend =
  | { readonly kind: "notices"; readonly notices: readonly LostNotice[] }
  | { readonly kind: "unsent"; readonly instance: InstanceId; readonly why: string };

/**
 * The notices to send for an instance, one for each hook of this deployment that may hold it, or why there are none. The
 * function asks Auto Scaling by a heartbeat, and ignores that of a hook that does not hold the instance.
 */
export function noticesFor(
  instance: InstanceId,
  all: readonly HeldInstance[],
  { now, anyway }: { readonly now: Instant; readonly anyway?: true },
): NoticesToSend {
  const unsent = (why: string): NoticesToSend => ({ kind: "unsent", instance, why });
  const found = all.find((one) => one.instance === instance);
  if (found === undefined)
    return unsent(
      "it is in no group of this deployment; the command does not see instances of a warm pool",
    );
  const { group, state, hooks, passes } = found;
  if (hooks.length === 0)
    return unsent(`it is ${state} in group ${group}, and no hook of this deployment holds it`);
  if (!found.isManaged)
    return unsent(
      `this deployment does not manage group ${group}, so the function would ignore the notice; \`doctor\` has the command that manages the group`,
    );
  if (passes > 0 && anyway === undefined)
    return unsent(
      `the function has begun ${counted(passes, "pass", "passes")} with it in the last hour; --anyway sends it all the same`,
    );
  const notices = hooks.map((hook) => ({ instance, hook, body: bodyOf({ ...found, hook }, now) }));
  return { kind: "notices", notices };
}

/** Auto Scaling's form of a notice. `Origin` and `Destination` are those of the state in which the hook holds the instance. */
function bodyOf(
  { instance, group, state, hook, launchHooks }: HeldInstance & { readonly hook: string },
  now: Instant,
): LostNotice["body"] {
  const isLaunch = launchHooks.includes(hook);
  const isOfPool = state.startsWith("Warmed:");
  const isIntoPool = state === "Warmed:Pending:Wait";
  return {
    LifecycleTransition: `autoscaling:EC2_INSTANCE_${isLaunch ? "LAUNCHING" : "TERMINATING"}`,
    LifecycleHookName: hook,
    AutoScalingGroupName: group,
    EC2InstanceId: instance,
    LifecycleActionToken: "unsaid",
    Service: "AWS Auto Scaling",
    Time: timestamp(now),
    ...(isOfPool && (isIntoPool ? { Destination: "WarmPool" } : { Origin: "WarmPool" })),
  };
}
