import {
  type Activity,
  type AutoScalingClient,
  type AutoScalingGroup,
  type DescribeAutoScalingGroupsCommandInput,
  paginateDescribeAutoScalingGroups,
  SetInstanceHealthCommand,
} from "@aws-sdk/client-auto-scaling";
import { type GroupName, type InstanceId, instanceId, type ManagedGroup } from "../base/ids.ts";
import { partsOf } from "../base/parts.ts";
import { type Instant, instant } from "../base/time.ts";
import type { Fleet } from "../group/fleet.ts";
import type { RepairGroups } from "../repair/repairs.port.ts";
import type { SurveyGroup } from "../repair/survey.ts";
import { listIn, told } from "./aws-fault.ts";
import { failuresIn, fleetOf } from "./fleet-of.ts";
import { activitiesOf, warmPoolOf } from "./group-pages.ts";

// See https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_DescribeAutoScalingGroups.html
const mostNames = 50;
const mostOnPage = 100;

/** The Auto Scaling groups of an account and Region, as repairs read and change them. */
export class AwsRepairGroups implements RepairGroups {
  readonly #client: AutoScalingClient;

  constructor(client: AutoScalingClient) {
    this.#client = client;
  }

  async groups(managed: readonly ManagedGroup[]): Promise<readonly Fleet[]> {
    const found = new Map<string, AutoScalingGroup>();
    for (const asked of requestsFor(managed))
      for (const group of await this.#described(asked))
        found.set(group.AutoScalingGroupName ?? "", group);
    return Promise.all(Array.from(found.values(), (group) => this.#fleet(group)));
  }

  activities(group: GroupName, since: Instant): Promise<Pick<SurveyGroup, "entered" | "failures">> {
    return told(`reading the scaling activities of ${group}`, async () => {
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

  giveUp(instance: InstanceId): Promise<"given-up" | "gone"> {
    const health = { HealthStatus: "Unhealthy", ShouldRespectGracePeriod: false };
    const asked = async () => {
      await this.#client.send(new SetInstanceHealthCommand({ InstanceId: instance, ...health }));
      return "given-up" as const;
    };
    const gone = [/^ValidationError/, "gone", /not found/i] as const;
    return told(`setting the health of ${instance}`, asked, gone);
  }

  #described(asked: DescribeAutoScalingGroupsCommandInput): Promise<readonly AutoScalingGroup[]> {
    return told("describing the managed groups", async (doing) => {
      const found: AutoScalingGroup[] = [];
      const pages = paginateDescribeAutoScalingGroups({ client: this.#client }, asked);
      for await (const page of pages) found.push(...listIn(page, "AutoScalingGroups", doing));
      return found;
    });
  }

  async #fleet(group: AutoScalingGroup): Promise<Fleet> {
    const { WarmPoolConfiguration: pool, AutoScalingGroupName: name = "" } = group;
    return fleetOf(group, pool === undefined ? [] : await warmPoolOf(this.#client, name));
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
