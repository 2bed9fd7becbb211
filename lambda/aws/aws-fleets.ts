import {
  type Activity,
  type AutoScalingClient,
  type AutoScalingGroup,
  CreateOrUpdateTagsCommand,
  DeleteTagsCommand,
  type DescribeAutoScalingGroupsCommandInput,
  DescribeInstanceRefreshesCommand,
  paginateDescribeAutoScalingGroups,
  SetInstanceHealthCommand,
  TerminateInstanceInAutoScalingGroupCommand,
  UpdateAutoScalingGroupCommand,
} from "@aws-sdk/client-auto-scaling";
import { Fault } from "../base/fault.ts";
import { type GroupName, type InstanceId, instanceId, type ManagedGroup } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import { partsOf } from "../base/parts.ts";
import { type Instant, instant } from "../base/time.ts";
import type { FailedActivity, Fleet, NamedTemplate, Sizes } from "../group/fleet.ts";
import type { Activities, Fleets } from "../registrations/aws.port.ts";
import { describedGroups } from "./auto-scaling-groups.ts";
import { ask, listIn } from "./aws-fault.ts";
import { failuresIn, fleetOf, policyBy, tagOf } from "./fleet-of.ts";
import { activitiesOf, warmPoolOf } from "./group-pages.ts";
import { templateAddress } from "./named-template.ts";

// See https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_InstanceRefresh.html
const over = /^(Successful|Failed|Cancelled|RollbackFailed|RollbackSuccessful)$/;

// See https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_DescribeAutoScalingGroups.html
const mostNames = 50;
const mostOnPage = 100;

/** The Auto Scaling groups of an account and Region, as upgrades and repairs read and change them. */
export class AwsFleets implements Fleets {
  readonly #client: AutoScalingClient;

  constructor(client: AutoScalingClient) {
    this.#client = client;
  }

  async fleet(group: GroupName): Promise<Fleet | "absent"> {
    const found = await this.#find(group);
    return found === "absent" ? found : this.#withPool(found);
  }

  async groups(managed: readonly ManagedGroup[]): Promise<readonly Fleet[]> {
    const found = new Map<string, AutoScalingGroup>();
    for (const asked of requestsFor(managed))
      for (const group of await this.#described(asked))
        found.set(group.AutoScalingGroupName ?? "", group);
    return Promise.all(Array.from(found.values(), (group) => this.#withPool(group)));
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
      // Who asked for it does not matter: if something else is in progress, the next look at the group tells.
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

  failures(group: GroupName, since: Instant): Promise<readonly FailedActivity[]> {
    return ask(`reading the scaling activities of ${group}`, async () => {
      const found: FailedActivity[] = [];
      for await (const activity of activitiesOf(this.#client, group)) {
        if ((activity.StartTime?.getTime() ?? 0) < since) break;
        found.push(...failuresIn(activity));
      }
      return found;
    });
  }

  activities(group: GroupName, since: Instant): Promise<Activities> {
    return ask(`reading the scaling activities of ${group}`, async () => {
      const recent: Activity[] = [];
      for await (const activity of activitiesOf(this.#client, group)) {
        if ((activity.StartTime?.getTime() ?? 0) < since) break;
        recent.push(activity);
      }
      const launched = recent.findIndex(hasLaunched);
      const open = launched < 0 ? recent : recent.slice(0, launched);
      return { failures: open.flatMap(failuresIn), entered: new Map(recent.flatMap(enteredIn)) };
    });
  }

  #described(asked: DescribeAutoScalingGroupsCommandInput): Promise<readonly AutoScalingGroup[]> {
    return ask("describing the managed groups", async (doing) => {
      const found: AutoScalingGroup[] = [];
      const pages = paginateDescribeAutoScalingGroups({ client: this.#client }, asked);
      for await (const page of pages) found.push(...listIn(page, "AutoScalingGroups", doing));
      return found;
    });
  }

  async #withPool(group: AutoScalingGroup): Promise<Fleet> {
    const { WarmPoolConfiguration: pool, AutoScalingGroupName: name = "" } = group;
    return fleetOf(group, pool === undefined ? [] : await warmPoolOf(this.#client, name));
  }

  async #find(group: GroupName): Promise<AutoScalingGroup | "absent"> {
    const found = await describedGroups(this.#client, [group], `describing group ${group}`);
    return found.find(({ AutoScalingGroupName: name }) => name === group) ?? "absent";
  }

  async #update(doing: string, change: UpdateAutoScalingGroupCommand["input"]): Promise<void> {
    await ask(doing, () => this.#client.send(new UpdateAutoScalingGroupCommand(change)));
  }
}

/** One request for every 50 names, and one for each tag: all filters of one request would have to fit. */
function requestsFor(
  managed: readonly ManagedGroup[],
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
