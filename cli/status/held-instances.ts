import type { GroupInstance, ScalingGroup } from "../../lambda/group/scaling-group.ts";
import type { AwsAccess } from "../connect/aws-access.ts";
import type { DeploymentParts } from "../connect/deployment-at.ts";
import { type GroupHooks, groupsAt, hooksAt } from "../connect/groups-at.ts";

/** An instance that hooks hold, and its group. */
export interface Held {
  readonly instance: string;
  readonly state: string;
  readonly group: ScalingGroup;
  readonly hooks: readonly string[];
  readonly otherHooks: readonly string[];
  /** How long a hook waits for a heartbeat. */
  readonly heartbeatTimeoutSeconds: number | null;
}

const transitions: Readonly<Record<string, string>> = {
  "Terminating:Wait": "autoscaling:EC2_INSTANCE_TERMINATING",
  "Pending:Wait": "autoscaling:EC2_INSTANCE_LAUNCHING",
  "Warmed:Pending:Wait": "autoscaling:EC2_INSTANCE_LAUNCHING",
  "Warmed:Terminating:Wait": "autoscaling:EC2_INSTANCE_TERMINATING",
};

/** The groups of a deployment, and the instances that its hooks hold. */
export interface Holds {
  readonly groups: readonly ScalingGroup[];
  readonly held: readonly Held[];
}

/** The instances that hooks hold now: those of this deployment, and in its own groups also those of others; Auto Scaling is asked for the hooks of those groups only that have such an instance. */
export async function heldInstances(parts: DeploymentParts, aws: AwsAccess): Promise<Holds> {
  const groups = await groupsAt(parts, aws);
  const isManaged = parts.config.kind === "known";
  const held: Held[] = [];
  for (const group of groups) {
    const waiting = group.instances.filter(({ state }) => state in transitions);
    if (waiting.length === 0) continue;
    const hooks = await hooksAt(group.name, parts, aws);
    const found = waiting.map((instance) => heldBy({ group, hooks }, instance));
    held.push(...found.filter((one) => isManaged || one.hooks.length > 0));
  }
  return { groups, held };
}

interface Site {
  readonly group: ScalingGroup;
  readonly hooks: GroupHooks;
}

function heldBy({ group, hooks }: Site, { id, state }: GroupInstance): Held {
  const transition = transitions[state];
  const concerned = (all: GroupHooks["ours"]) =>
    all.filter(({ LifecycleTransition: theirs }) => theirs === transition);
  const names = (all: GroupHooks["ours"]) =>
    concerned(all).map(({ LifecycleHookName: name = "" }) => name);
  return {
    instance: id,
    state,
    group,
    hooks: names(hooks.ours),
    otherHooks: names(hooks.others),
    heartbeatTimeoutSeconds: concerned(hooks.ours)[0]?.HeartbeatTimeout ?? null,
  };
}
