import {
  type Activity,
  type AutoScalingClient,
  type AutoScalingGroup,
  CreateOrUpdateTagsCommand,
  DeleteTagsCommand,
  type DescribeAutoScalingGroupsCommandInput,
  DescribeInstanceRefreshesCommand,
  type Instance,
  type LaunchTemplateSpecification,
  type MixedInstancesPolicy,
  paginateDescribeAutoScalingGroups,
  paginateDescribeScalingActivities,
  paginateDescribeWarmPool,
  SetInstanceHealthCommand,
  TerminateInstanceInAutoScalingGroupCommand,
  UpdateAutoScalingGroupCommand,
} from "@aws-sdk/client-auto-scaling";
import { Fault } from "../base/fault.ts";
import { type GroupName, type GroupSelector, type InstanceId, instanceId } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import { partsOf } from "../base/parts.ts";
import { type Instant, instant } from "../base/time.ts";
import type { Activities, ScalingGroups } from "../group/group.port.ts";
import type { FailedActivity, NamedTemplate, ScalingGroup, Sizes } from "../group/scaling-group.ts";
import { AutoScalingGroups } from "./auto-scaling-groups.ts";
import { ask, listIn } from "./aws-fault.ts";
import { scalingGroupOf } from "./scaling-group-of.ts";
import { templateAddress } from "./template-address.ts";

// See https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_InstanceRefresh.html
const over = /^(Successful|Failed|Cancelled|RollbackFailed|RollbackSuccessful)$/;

// See https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_DescribeAutoScalingGroups.html
const mostNames = 50;
const mostOnPage = 100;

/** The same with all that work on whole groups needs; the bundle of drains has no room for it. */
export class FullAutoScalingGroups extends AutoScalingGroups implements ScalingGroups {
  readonly #client: AutoScalingClient;

  constructor(client: AutoScalingClient) {
    super(client);
    this.#client = client;
  }

  async withPool(name: GroupName): Promise<ScalingGroup | "absent"> {
    const found = await this.tryFind(name);
    return found === undefined ? "absent" : this.#withPool(found);
  }

  async managed(groups: readonly GroupSelector[]): Promise<readonly ScalingGroup[]> {
    const found = new Map<string, AutoScalingGroup>();
    for (const asked of requestsFor(groups))
      for (const group of await this.#pages(asked))
        found.set(group.AutoScalingGroupName ?? "", group);
    return Promise.all(Array.from(found.values(), (group) => this.#withPool(group)));
  }

  async launchBy(group: GroupName, template: NamedTemplate): Promise<void> {
    const doing = `having ${group} launch by ${template.template} version ${template.version}`;
    const found = await this.tryFind(group);
    if (found === undefined) throw new Fault("aws.refused", `${doing}: there is no such group`);
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
    await ask(doing, () => this.#client.send(new CreateOrUpdateTagsCommand({ Tags })));
  }

  async untag(group: GroupName, keys: readonly string[]): Promise<void> {
    const Tags = keys.map((key) => tagOf(group, key));
    if (Tags.length === 0) return;
    const doing = `removing tags ${keys.join(", ")} of ${group}`;
    await ask(doing, () => this.#client.send(new DeleteTagsCommand({ Tags })));
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
    return ask(
      `terminating ${instance}`,
      asked,
      [/^ValidationError/, "gone", /Instance Id not found/i],
      // Another activity may be in progress. The next look at the group shows it.
      [/^ScalingActivityInProgress/, "terminating"],
    );
  }

  giveUp(instance: InstanceId): Promise<"given-up" | "gone"> {
    const health = { HealthStatus: "Unhealthy", ShouldRespectGracePeriod: false };
    const asked = async () => {
      await this.#client.send(new SetInstanceHealthCommand({ InstanceId: instance, ...health }));
      return "given-up" as const;
    };
    const gone = [/^ValidationError/, "gone", /not found/i] as const;
    return ask(`setting the health of ${instance}`, asked, gone);
  }

  refresh(group: GroupName): Promise<"active" | "none"> {
    return ask(`looking for instance refreshes of ${group}`, async (doing) => {
      // The newest come first, and a group has one active refresh at most.
      const answer = await this.#client.send(
        new DescribeInstanceRefreshesCommand({ AutoScalingGroupName: group }),
      );
      const newest = listIn(answer, "InstanceRefreshes", doing);
      const active = newest.some(({ Status: status = "" }) => !over.test(status));
      return active ? "active" : "none";
    });
  }

  async failures(group: GroupName, since: Instant): Promise<readonly FailedActivity[]> {
    return (await this.#activities(group, since)).flatMap(failuresIn);
  }

  async activities(group: GroupName, since: Instant): Promise<Activities> {
    const recent = await this.#activities(group, since);
    const launched = recent.findIndex(hasLaunched);
    const open = launched < 0 ? recent : recent.slice(0, launched);
    return { failures: open.flatMap(failuresIn), entered: new Map(recent.flatMap(enteredIn)) };
  }

  /**
   * The group's activities since then, the newest first; the next page is read only when it is
   * needed.
   */
  #activities(group: GroupName, since: Instant): Promise<readonly Activity[]> {
    return ask(`reading the scaling activities of ${group}`, async (doing) => {
      const recent: Activity[] = [];
      const asked = { AutoScalingGroupName: group };
      for await (const page of paginateDescribeScalingActivities({ client: this.#client }, asked)) {
        const some: readonly Activity[] = listIn(page, "Activities", doing);
        const late = some.filter(({ StartTime: at }) => (at?.getTime() ?? 0) >= since);
        recent.push(...late);
        if (late.length < some.length) break;
      }
      return recent;
    });
  }

  #pages(asked: DescribeAutoScalingGroupsCommandInput): Promise<readonly AutoScalingGroup[]> {
    return ask("describing the managed groups", async (doing) => {
      const found: AutoScalingGroup[] = [];
      const pages = paginateDescribeAutoScalingGroups({ client: this.#client }, asked);
      for await (const page of pages) found.push(...listIn(page, "AutoScalingGroups", doing));
      return found;
    });
  }

  async #withPool(group: AutoScalingGroup): Promise<ScalingGroup> {
    const { WarmPoolConfiguration: pool, AutoScalingGroupName: name = "" } = group;
    return scalingGroupOf(group, pool === undefined ? [] : await this.#poolOf(name));
  }

  #poolOf(group: string): Promise<readonly Instance[]> {
    return ask(`reading the warm pool of ${group}`, async (doing) => {
      const found: Instance[] = [];
      const asked = { AutoScalingGroupName: group };
      for await (const page of paginateDescribeWarmPool({ client: this.#client }, asked))
        found.push(...listIn(page, "Instances", doing));
      return found;
    });
  }

  async #update(doing: string, change: UpdateAutoScalingGroupCommand["input"]): Promise<void> {
    await ask(doing, () => this.#client.send(new UpdateAutoScalingGroupCommand(change)));
  }
}

/** One request for every 50 names, and one for each tag: all filters of one request would have to fit. */
function requestsFor(
  managed: readonly GroupSelector[],
): readonly DescribeAutoScalingGroupsCommandInput[] {
  const names = managed.filter((one) => typeof one === "string");
  return [
    ...partsOf(names, mostNames).map((some) => ({ AutoScalingGroupNames: some })),
    ...managed
      .filter((one) => typeof one !== "string")
      .map(({ key, value }) => ({
        Filters: [{ Name: `tag:${key}`, Values: [value] }],
        MaxRecords: mostOnPage,
      })),
  ];
}

const hasLaunched = ({ StatusCode: status, Description: what = "" }: Activity): boolean =>
  status === "Successful" && what.startsWith("Launching");

// Such as "Launching a new EC2 instance from warm pool: i-…" and "Moving EC2 instance out of Standby: i-…".
const entering = /^(?:Launching|Moving) .*: (i-[\da-f]+)$/;

function enteredIn(activity: Activity): readonly (readonly [InstanceId, Instant])[] {
  const { StatusCode: status, Description: what = "", EndTime: at } = activity;
  const [, instance] = entering.exec(what) ?? [];
  if (status !== "Successful" || instance === undefined || at === undefined) return [];
  return [[instanceId(instance), instant(at.getTime())]];
}

// A launch that its hook abandons ends as cancelled.
const failed: ReadonlySet<string | undefined> = new Set(["Cancelled", "Failed"]);

/** Reads an activity; none unless it failed. */
function failuresIn(activity: Activity): readonly FailedActivity[] {
  const { StatusCode: status, StartTime: started } = activity;
  if (!failed.has(status)) return [];
  return [
    {
      at: instant(started?.getTime() ?? 0),
      description: activity.Description ?? "",
      message: activity.StatusMessage ?? "",
    },
  ];
}

/** Names a tag of a group in a request; its instances do not get it. */
const tagOf = (group: GroupName, Key: string) => ({
  ResourceId: group,
  ResourceType: "auto-scaling-group",
  Key,
  PropagateAtLaunch: false,
});

/**
 * The policy with another template. It repeats everything else, because AWS does not document what happens to parts that are
 * left out.
 */
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
