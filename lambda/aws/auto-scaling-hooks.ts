import {
  type AutoScalingClient,
  DeleteLifecycleHookCommand,
  DescribeLifecycleHooksCommand,
  type LifecycleHook,
  PutLifecycleHookCommand,
} from "@aws-sdk/client-auto-scaling";
import { wholeSeconds } from "../base/time.ts";
import type { GroupHook, GroupHooks } from "../notice/group-hooks.port.ts";
import { ask, listIn } from "./aws-fault.ts";

/** The lifecycle hooks of an account and Region. */
export class AutoScalingHooks implements GroupHooks {
  readonly #client: AutoScalingClient;

  constructor(client: AutoScalingClient) {
    this.#client = client;
  }

  async put({ group, name, transition, heartbeat, topicArn, roleArn }: GroupHook): Promise<void> {
    const hook = new PutLifecycleHookCommand({
      AutoScalingGroupName: group,
      LifecycleHookName: name,
      LifecycleTransition: transition,
      HeartbeatTimeout: wholeSeconds(heartbeat),
      DefaultResult: "CONTINUE", // a drain that fails must not hold instances back
      NotificationTargetARN: topicArn,
      RoleARN: roleArn,
    });
    await ask(`putting hook ${name} of ${group}`, () => this.#client.send(hook));
  }

  async remove({ group, name, topicArn }: GroupHook): Promise<void> {
    const names = { AutoScalingGroupName: group, LifecycleHookNames: [name] };
    const doing = `describing hook ${name} of ${group}`;
    const found: readonly LifecycleHook[] = await ask(doing, async () => {
      const answer = await this.#client.send(new DescribeLifecycleHooksCommand(names));
      return listIn(answer, "LifecycleHooks", doing);
    }, [/^ValidationError/, [], /AutoScalingGroup name not found/i]);
    if (!found.some(({ NotificationTargetARN: target }) => target === topicArn)) return;
    const hook = new DeleteLifecycleHookCommand({
      AutoScalingGroupName: group,
      LifecycleHookName: name,
    });
    await ask(`deleting hook ${name} of ${group}`, () => this.#client.send(hook));
  }
}
