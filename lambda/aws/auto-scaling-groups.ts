import {
  type AutoScalingClient,
  type AutoScalingGroup,
  CompleteLifecycleActionCommand,
  DescribeAutoScalingGroupsCommand,
  DescribeAutoScalingInstancesCommand,
  DescribeLifecycleHooksCommand,
  type Instance,
  type LifecycleHook,
  RecordLifecycleActionHeartbeatCommand,
} from "@aws-sdk/client-auto-scaling";
import { type GroupName, type HookName, type InstanceId, instanceId } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import { type Duration, seconds } from "../base/time.ts";
import type {
  ActionAnswer,
  ActionResult,
  LifecycleAction,
  Membership,
} from "../notice/lifecycle-action.ts";
import type { ScalingGroup, ScalingGroups } from "../registrations/aws.port.ts";
import { listIn, told } from "./aws-fault.ts";
import { labelsOf, membershipIn, membershipsOf, tagsOf } from "./many-groups.ts";

// How long Auto Scaling waits when a hook names no timeout of its own.
const defaultHeartbeatTimeout = seconds(3600);

// What Auto Scaling answers where a group was deleted since it was found, with all that it held.
const groupGone = /AutoScalingGroup name not found/i;

/** The Auto Scaling groups of an account and Region. */
export class AutoScalingGroups implements ScalingGroups {
  readonly #client: AutoScalingClient;

  constructor(client: AutoScalingClient) {
    this.#client = client;
  }

  async membership(instance: InstanceId): Promise<Membership> {
    const doing = `describing ${instance}`;
    const found = await told(doing, () =>
      this.#client.send(new DescribeAutoScalingInstancesCommand({ InstanceIds: [instance] })),
    );
    return membershipIn(
      listIn(found, "AutoScalingInstances", doing).find(
        ({ InstanceId }) => InstanceId === instance,
      ),
    );
  }

  memberships(instances: readonly InstanceId[]): Promise<ReadonlyMap<InstanceId, Membership>> {
    const doing = `describing ${instances.length} instances`;
    return told(doing, () => membershipsOf(this.#client, instances, doing));
  }

  tagsOf(groups: readonly GroupName[]): Promise<ReadonlyMap<GroupName, Labels>> {
    const doing = `describing ${groups.length} groups`;
    return told(doing, () => tagsOf(this.#client, groups, doing));
  }

  async group(name: GroupName): Promise<ScalingGroup | "absent"> {
    const doing = `describing group ${name}`;
    const groups = await told(doing, () =>
      this.#client.send(new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [name] })),
    );
    const found: AutoScalingGroup | undefined = listIn(groups, "AutoScalingGroups", doing).find(
      ({ AutoScalingGroupName }) => AutoScalingGroupName === name,
    );
    if (found === undefined) return "absent";
    const instances: readonly Instance[] = found.Instances ?? [];
    const { TerminateHookAbandon: onAbandon } =
      found.InstanceLifecyclePolicy?.RetentionTriggers ?? {};
    return {
      onAbandon: onAbandon === "retain" ? "retain" : "terminate",
      heldTerminating: instances
        .filter(({ LifecycleState }) => LifecycleState === "Terminating:Wait")
        .map(({ InstanceId }) => instanceId(InstanceId ?? "")),
      tags: labelsOf(found.Tags),
    };
  }

  async heartbeatTimeout(group: GroupName, hook: HookName): Promise<Duration | "absent"> {
    const found = await this.#hook(group, hook);
    if (found === undefined) return "absent";
    return found.HeartbeatTimeout === undefined
      ? defaultHeartbeatTimeout
      : seconds(found.HeartbeatTimeout);
  }

  heartbeat(action: LifecycleAction): Promise<ActionAnswer> {
    return this.#act(`sending a heartbeat to ${action.hook} for ${action.instance}`, () =>
      this.#client.send(new RecordLifecycleActionHeartbeatCommand(addressed(action))),
    );
  }

  complete(action: LifecycleAction, result: ActionResult): Promise<ActionAnswer> {
    return this.#act(`completing ${action.hook} for ${action.instance}`, () =>
      this.#client.send(
        new CompleteLifecycleActionCommand({
          ...addressed(action),
          LifecycleActionResult: result,
        }),
      ),
    );
  }

  async #hook(group: GroupName, hook: HookName): Promise<LifecycleHook | undefined> {
    const doing = `describing hook ${hook} of ${group}`;
    const names = { AutoScalingGroupName: group, LifecycleHookNames: [hook] };
    return told(doing, async () => {
      const hooks = await this.#client.send(new DescribeLifecycleHooksCommand(names));
      return listIn(hooks, "LifecycleHooks", doing).find(
        ({ LifecycleHookName }) => LifecycleHookName === hook,
      );
    }, [/^ValidationError/, undefined, groupGone]);
  }

  /** An answer has nothing in it that could be missed: every 200 counts as taken. */
  #act(doing: string, call: () => Promise<unknown>): Promise<ActionAnswer> {
    const taken = async () => {
      await call();
      return "taken" as const;
    };
    return told(
      doing,
      taken,
      [/^ValidationError/, "no-active-action", /No active Lifecycle Action/i],
      [/^ValidationError/, "no-active-action", groupGone],
    );
  }
}

const addressed = ({ group, hook, token, instance }: LifecycleAction) => ({
  AutoScalingGroupName: group,
  LifecycleHookName: hook,
  LifecycleActionToken: token,
  InstanceId: instance,
});
