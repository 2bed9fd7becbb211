import {
  type AutoScalingClient,
  type AutoScalingGroup,
  type AutoScalingInstanceDetails,
  CompleteLifecycleActionCommand,
  DescribeAutoScalingGroupsCommand,
  DescribeAutoScalingInstancesCommand,
  DescribeLifecycleHooksCommand,
  type LifecycleHook,
  RecordLifecycleActionHeartbeatCommand,
} from "@aws-sdk/client-auto-scaling";
import {
  type GroupName,
  groupName,
  type HookName,
  type InstanceId,
  instanceId,
} from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import { seconds } from "../base/time.ts";
import type { ScalingGroups } from "../group/group.port.ts";
import type { Membership } from "../group/membership.ts";
import type { DrainedGroup } from "../group/scaling-group.ts";
import type {
  ActionAnswer,
  ActionResult,
  HeldTransition,
  HookTerms,
  LifecycleAction,
} from "../notice/lifecycle-action.ts";
import type { HookedGroups } from "../notice/notice.port.ts";
import { type AnswerWithId, ask, assertAnswered, listIn } from "./aws-fault.ts";
import { inParts } from "./in-parts.ts";
import { drainedGroupOf, labelsOf } from "./scaling-group-of.ts";

// Auto Scaling's own timeout and default result of a hook that names none.
const defaultHeartbeatTimeout = seconds(3600);

const transitions: ReadonlyMap<string, HeldTransition> = new Map([
  ["autoscaling:EC2_INSTANCE_LAUNCHING", "launching"],
  ["autoscaling:EC2_INSTANCE_TERMINATING", "terminating"],
]);

// Auto Scaling's answer about a group that was deleted since it was found.
const groupGone = /AutoScalingGroup name not found/i;

// Neither request takes more, and neither answers with more.
// See https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_DescribeAutoScalingInstances.html
const most = 50;

/** The Auto Scaling groups of an account and Region, as far as drains need them. */
export class AutoScalingGroups
  implements HookedGroups, Pick<ScalingGroups, "memberships" | "tagsOf">
{
  readonly #client: AutoScalingClient;

  constructor(client: AutoScalingClient) {
    this.#client = client;
  }

  async membership(instance: InstanceId): Promise<Membership> {
    const found = await this.#memberships([instance], `describing ${instance}`);
    return found.get(instance) ?? { kind: "none" };
  }

  memberships(instances: readonly InstanceId[]): Promise<ReadonlyMap<InstanceId, Membership>> {
    return this.#memberships(instances, `describing ${instances.length} instances`);
  }

  async tagsOf(groups: readonly GroupName[]): Promise<ReadonlyMap<GroupName, Labels>> {
    const found = await this.described(groups, `describing ${groups.length} groups`);
    return new Map(
      found.map(({ AutoScalingGroupName: name = "", Tags }) => [groupName(name), labelsOf(Tags)]),
    );
  }

  async group(name: GroupName): Promise<DrainedGroup | "absent"> {
    const found = await this.tryFind(name);
    return found === undefined ? "absent" : drainedGroupOf(found);
  }

  async hook(group: GroupName, hook: HookName): Promise<HookTerms | "absent"> {
    const found = await this.#hook(group, hook);
    if (found === undefined) return "absent";
    const { HeartbeatTimeout: timeout, DefaultResult: result, LifecycleTransition: at } = found;
    const heartbeatTimeout = timeout === undefined ? defaultHeartbeatTimeout : seconds(timeout);
    const onTimeout = result === "CONTINUE" ? result : "ABANDON";
    const transition = transitions.get(at ?? "") ?? "unknown";
    return { transition, target: found.NotificationTargetARN ?? "", heartbeatTimeout, onTimeout };
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

  protected async tryFind(group: GroupName): Promise<AutoScalingGroup | undefined> {
    const found = await this.described([group], `describing group ${group}`);
    return found.find(({ AutoScalingGroupName: name }) => name === group);
  }

  /** Describes groups, 50 in each request. Groups that do not exist are left out. */
  protected described(
    groups: readonly GroupName[],
    doing: string,
  ): Promise<readonly AutoScalingGroup[]> {
    return inParts(groups, most, (AutoScalingGroupNames) =>
      ask(doing, async () => {
        const command = new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames });
        return listIn(await this.#client.send(command), "AutoScalingGroups", doing);
      }),
    );
  }

  async #memberships(
    instances: readonly InstanceId[],
    doing: string,
  ): Promise<ReadonlyMap<InstanceId, Membership>> {
    const found: readonly AutoScalingInstanceDetails[] = await inParts(
      instances,
      most,
      (InstanceIds) =>
        ask(doing, async () => {
          const command = new DescribeAutoScalingInstancesCommand({ InstanceIds });
          return listIn(await this.#client.send(command), "AutoScalingInstances", doing);
        }),
    );
    return new Map(found.map((one) => [instanceId(one.InstanceId ?? ""), membershipIn(one)]));
  }

  async #hook(group: GroupName, hook: HookName): Promise<LifecycleHook | undefined> {
    const doing = `describing hook ${hook} of ${group}`;
    const names = { AutoScalingGroupName: group, LifecycleHookNames: [hook] };
    return ask(doing, async () => {
      const hooks = await this.#client.send(new DescribeLifecycleHooksCommand(names));
      return listIn(hooks, "LifecycleHooks", doing).find(
        ({ LifecycleHookName }) => LifecycleHookName === hook,
      );
    }, [/^ValidationError/, undefined, groupGone]);
  }

  /** An answer has nothing in it but the id of its request: whatever has none is not AWS'. */
  #act(doing: string, call: () => Promise<AnswerWithId>): Promise<ActionAnswer> {
    const taken = async () => {
      assertAnswered(await call(), doing);
      return "taken" as const;
    };
    return ask(
      doing,
      taken,
      [/^ValidationError/, "no-active-action", /No active Lifecycle Action/i],
      [/^ValidationError/, "no-active-action", groupGone],
    );
  }
}

const membershipIn = ({
  AutoScalingGroupName: group,
  LifecycleState: state = "Unknown",
}: Partial<AutoScalingInstanceDetails>): Membership =>
  group === undefined ? { kind: "none" } : { kind: "member", group: groupName(group), state };

const addressed = ({ group, hook, token, instance }: LifecycleAction) => ({
  AutoScalingGroupName: group,
  LifecycleHookName: hook,
  ...(token !== "unsaid" && { LifecycleActionToken: token }),
  InstanceId: instance,
});
