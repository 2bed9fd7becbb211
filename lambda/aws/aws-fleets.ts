import {
  type AutoScalingClient,
  type AutoScalingGroup,
  CreateOrUpdateTagsCommand,
  DeleteTagsCommand,
  DescribeAutoScalingGroupsCommand,
  DescribeInstanceRefreshesCommand,
  type LaunchTemplateSpecification,
  type MixedInstancesPolicy,
  TerminateInstanceInAutoScalingGroupCommand,
  UpdateAutoScalingGroupCommand,
} from "@aws-sdk/client-auto-scaling";
import { Fault } from "../base/fault.ts";
import type { GroupName, InstanceId } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import type { Instant } from "../base/time.ts";
import type { FailedActivity, Fleet, NamedTemplate, Sizes } from "../group/fleet.ts";
import type { Fleets } from "../group/fleets.port.ts";
import { listIn, told } from "./aws-fault.ts";
import { failuresIn, fleetOf, tagOf } from "./fleet-of.ts";
import { activitiesOf, warmPoolOf } from "./group-pages.ts";
import { templateAddress } from "./named-template.ts";

// See https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_InstanceRefresh.html
const over = /^(Successful|Failed|Cancelled|RollbackFailed|RollbackSuccessful)$/;

/** The Auto Scaling groups of an account and Region, as upgrades change them. */
export class AwsFleets implements Fleets {
  readonly #client: AutoScalingClient;

  constructor(client: AutoScalingClient) {
    this.#client = client;
  }

  async fleet(group: GroupName): Promise<Fleet | "absent"> {
    const found = await this.#find(group);
    if (found === "absent") return "absent";
    const warm =
      found.WarmPoolConfiguration === undefined ? [] : await warmPoolOf(this.#client, group);
    return fleetOf(found, warm);
  }

  async launchBy(group: GroupName, template: NamedTemplate): Promise<void> {
    const doing = `having ${group} launch by ${template.template} version ${template.version}`;
    const found = await this.#find(group);
    if (found === "absent") throw new Fault("aws.refused", `${doing}: there is no such group`);
    const { MixedInstancesPolicy: policy } = found;
    const version = String(template.version);
    const named = { ...templateAddress(template.template), Version: version };
    await this.#update(doing, {
      AutoScalingGroupName: group,
      ...(policy === undefined
        ? { LaunchTemplate: named }
        : { MixedInstancesPolicy: policyBy(policy, named) }),
    });
  }

  resize(group: GroupName, sizes: Partial<Sizes>): Promise<void> {
    const said = Object.entries(sizes).map(([name, size]) => `${name} ${size}`);
    return this.#update(`resizing ${group} to ${said.join(", ")}`, {
      AutoScalingGroupName: group,
      MinSize: sizes.min,
      MaxSize: sizes.max,
      DesiredCapacity: sizes.desired,
    });
  }

  async tag(group: GroupName, tags: Labels): Promise<void> {
    const Tags = Object.entries(tags).map(([Key, Value]) => ({ ...tagOf(group, Key), Value }));
    if (Tags.length === 0) return;
    const doing = `tagging ${group} with ${Object.keys(tags).join(", ")}`;
    await told(doing, () => this.#client.send(new CreateOrUpdateTagsCommand({ Tags })));
  }

  async untag(group: GroupName, keys: readonly string[]): Promise<void> {
    const Tags = keys.map((key) => tagOf(group, key));
    if (Tags.length === 0) return;
    const doing = `removing tags ${keys.join(", ")} of ${group}`;
    await told(doing, () => this.#client.send(new DeleteTagsCommand({ Tags })));
  }

  terminate(instance: InstanceId, capacity: "kept" | "shrinks"): Promise<"gone" | "terminating"> {
    const request = {
      InstanceId: instance,
      ShouldDecrementDesiredCapacity: capacity === "shrinks",
    };
    const asked = async () => {
      await this.#client.send(new TerminateInstanceInAutoScalingGroupCommand(request));
      return "terminating" as const;
    };
    return told(
      `terminating ${instance}`,
      asked,
      [/^ValidationError/, "gone", /Instance Id not found/i],
      // Who asked for it does not matter: if something else is in progress, the next look at the group tells.
      [/^ScalingActivityInProgress/, "terminating"],
    );
  }

  refresh(group: GroupName): Promise<"active" | "none"> {
    return told(`looking for instance refreshes of ${group}`, async (doing) => {
      // The newest come first, and a group has one active refresh at most.
      const answer = await this.#client.send(
        new DescribeInstanceRefreshesCommand({ AutoScalingGroupName: group }),
      );
      const newest = listIn(answer, "InstanceRefreshes", doing);
      const active = newest.some(({ Status: status = "" }) => !over.test(status));
      return active ? "active" : "none";
    });
  }

  failures(group: GroupName, since: Instant): Promise<readonly FailedActivity[]> {
    return told(`reading the scaling activities of ${group}`, async () => {
      const found: FailedActivity[] = [];
      for await (const activity of activitiesOf(this.#client, group)) {
        if ((activity.StartTime?.getTime() ?? 0) < since) break;
        found.push(...failuresIn(activity));
      }
      return found;
    });
  }

  async #find(group: GroupName): Promise<AutoScalingGroup | "absent"> {
    const doing = `describing group ${group}`;
    const found = await told(doing, () =>
      this.#client.send(new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [group] })),
    );
    return (
      listIn(found, "AutoScalingGroups", doing).find(
        ({ AutoScalingGroupName: name }) => name === group,
      ) ?? "absent"
    );
  }

  async #update(doing: string, change: UpdateAutoScalingGroupCommand["input"]): Promise<void> {
    await told(doing, () => this.#client.send(new UpdateAutoScalingGroupCommand(change)));
  }
}

/** The policy with another template, and all else said again, for AWS does not tell what becomes of what is left out. */
function policyBy(policy: MixedInstancesPolicy, named: LaunchTemplateSpecification) {
  const Overrides = policy.LaunchTemplate?.Overrides?.map((override) =>
    override.LaunchTemplateSpecification === undefined
      ? override
      : {
          ...override,
          LaunchTemplateSpecification: addressed(override.LaunchTemplateSpecification),
        },
  );
  return { ...policy, LaunchTemplate: { LaunchTemplateSpecification: named, Overrides } };
}

const addressed = ({
  LaunchTemplateId: id,
  LaunchTemplateName: name = "",
  Version,
}: LaunchTemplateSpecification) => ({
  ...templateAddress(id ?? name),
  Version,
});
