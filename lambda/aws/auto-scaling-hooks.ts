import {
  type AutoScalingClient,
  DeleteLifecycleHookCommand,
  DescribeLifecycleHooksCommand,
  type LifecycleHook,
  PutLifecycleHookCommand,
} from "@aws-sdk/client-auto-scaling";
import { type GroupName, hookName } from "../base/ids.ts";
import { seconds, wholeSeconds } from "../base/time.ts";
import type { GroupHook, GroupHooks } from "../notice/group-hooks.port.ts";
import { ask, listIn } from "./aws-fault.ts";

/** The lifecycle hooks of an account and Region. */
export class AutoScalingHooks implements GroupHooks {
  readonly #client: AutoScalingClient;

  constructor(client: AutoScalingClient) {
    this.#client = client;
  }

  async of(group: GroupName): Promise<readonly GroupHook[] | "no group"> {
    const describe = new DescribeLifecycleHooksCommand({ AutoScalingGroupName: group });
    return ask(
      `describing the hooks of ${group}`,
      async (doing) => {
        const answer = await this.#client.send(describe);
        return listIn(answer, "LifecycleHooks", doing).map((hook) => asFound(hook, group));
      },
      [/^ValidationError/, "no group", /AutoScalingGroup name not found/i],
    );
  }

  async put(hook: GroupHook): Promise<void> {
    const { group, name } = hook;
    const put = new PutLifecycleHookCommand({
      AutoScalingGroupName: group,
      LifecycleHookName: name,
      LifecycleTransition: hook.transition,
      HeartbeatTimeout: wholeSeconds(hook.heartbeat),
      DefaultResult: hook.defaultResult,
      NotificationTargetARN: hook.target,
      RoleARN: hook.roleArn,
    });
    await ask(`putting hook ${name} of ${group}`, () => this.#client.send(put));
  }

  async remove({ group, name, target }: GroupHook): Promise<void> {
    const hooks = await this.of(group);
    if (hooks === "no group") return;
    if (!hooks.some((hook) => hook.name === name && hook.target === target)) return;
    const hook = new DeleteLifecycleHookCommand({
      AutoScalingGroupName: group,
      LifecycleHookName: name,
    });
    await ask(`deleting hook ${name} of ${group}`, () => this.#client.send(hook));
  }
}

const asFound = (hook: LifecycleHook, group: GroupName): GroupHook => ({
  group,
  name: hookName(hook.LifecycleHookName ?? ""),
  transition: hook.LifecycleTransition ?? "",
  heartbeat: seconds(hook.HeartbeatTimeout ?? 0),
  defaultResult: hook.DefaultResult ?? "",
  target: hook.NotificationTargetARN ?? "",
  roleArn: hook.RoleARN ?? "",
});
