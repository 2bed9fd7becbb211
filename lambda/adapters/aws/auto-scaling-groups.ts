import {
  type Instance as AnyInstance,
  type AutoScalingClient,
  type AutoScalingGroup,
  CompleteLifecycleActionCommand,
  DescribeAutoScalingGroupsCommand,
  DescribeAutoScalingInstancesCommand,
  DescribeLifecycleHooksCommand,
  type LifecycleHook,
  RecordLifecycleActionHeartbeatCommand,
} from "@aws-sdk/client-auto-scaling";
import { type GroupName, type HookName, type InstanceId, instanceId } from "../../domain/ids.ts";
import type { Labels } from "../../domain/labels.ts";
import type {
  ActionAnswer,
  ActionResult,
  LifecycleAction,
  Membership,
} from "../../domain/notice/lifecycle-action.ts";
import { type Duration, seconds } from "../../domain/time.ts";
import type { ScalingGroup, ScalingGroups } from "../../ports/scaling-groups.ts";
import { awsFault, isAwsError } from "./aws-fault.ts";
import { membershipIn, membershipsOf, tagsOf } from "./many-groups.ts";
import type { Read } from "./read-fields.ts";

type Group = Read<AutoScalingGroup, "client-auto-scaling", "AutoScalingGroup">;
type Instance = Read<AnyInstance, "client-auto-scaling", "Instance">;
type Hook = Read<LifecycleHook, "client-auto-scaling", "LifecycleHook">;

// How long Auto Scaling waits when a hook names no timeout of its own.
const defaultHeartbeatTimeout = seconds(3600);

/** The Auto Scaling groups of an account and Region. */
export class AutoScalingGroups implements ScalingGroups {
  readonly #client: AutoScalingClient;

  constructor(client: AutoScalingClient) {
    this.#client = client;
  }

  async membership(instance: InstanceId): Promise<Membership> {
    const { AutoScalingInstances: found = [] } = await this.#send(`describing ${instance}`, () =>
      this.#client.send(new DescribeAutoScalingInstancesCommand({ InstanceIds: [instance] })),
    );
    return membershipIn(found.find(({ InstanceId }) => InstanceId === instance));
  }

  memberships(instances: readonly InstanceId[]): Promise<ReadonlyMap<InstanceId, Membership>> {
    return this.#send(`describing ${instances.length} instances`, () =>
      membershipsOf(this.#client, instances),
    );
  }

  tagsOf(groups: readonly GroupName[]): Promise<ReadonlyMap<GroupName, Labels>> {
    return this.#send(`describing ${groups.length} groups`, () => tagsOf(this.#client, groups));
  }

  async group(name: GroupName): Promise<ScalingGroup | "absent"> {
    const { AutoScalingGroups: groups = [] } = await this.#send(`describing group ${name}`, () =>
      this.#client.send(new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [name] })),
    );
    const found: Group | undefined = groups.find(
      ({ AutoScalingGroupName }) => AutoScalingGroupName === name,
    );
    if (found === undefined) return "absent";
    const { Tags: tags = [] } = found;
    const instances: readonly Instance[] = found.Instances ?? [];
    const { TerminateHookAbandon: onAbandon } =
      found.InstanceLifecyclePolicy?.RetentionTriggers ?? {};
    return {
      onAbandon: onAbandon === "retain" ? "retain" : "terminate",
      heldTerminating: instances
        .filter(({ LifecycleState }) => LifecycleState === "Terminating:Wait")
        .map(({ InstanceId }) => instanceId(InstanceId ?? "")),
      tags: Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value ?? ""])),
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

  async #hook(group: GroupName, hook: HookName): Promise<Hook | undefined> {
    const { LifecycleHooks: hooks = [] } = await this.#send(
      `describing hook ${hook} of ${group}`,
      () =>
        this.#client.send(
          new DescribeLifecycleHooksCommand({
            AutoScalingGroupName: group,
            LifecycleHookNames: [hook],
          }),
        ),
    );
    return hooks.find(({ LifecycleHookName }) => LifecycleHookName === hook);
  }

  async #act(doing: string, call: () => Promise<unknown>): Promise<ActionAnswer> {
    try {
      await call();
      return "taken";
    } catch (cause) {
      if (isAwsError(cause, /^ValidationError/, /No active Lifecycle Action/i))
        return "no-active-action";
      throw awsFault(doing, cause);
    }
  }

  async #send<T>(doing: string, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (cause) {
      throw awsFault(doing, cause);
    }
  }
}

const addressed = ({ group, hook, token, instance }: LifecycleAction) => ({
  AutoScalingGroupName: group,
  LifecycleHookName: hook,
  LifecycleActionToken: token,
  InstanceId: instance,
});
