import {
  DescribeInstancesCommand,
  type DescribeInstancesCommandOutput,
  type EC2Client,
  type Instance,
  RebootInstancesCommand,
} from "@aws-sdk/client-ec2";
import {
  type GroupName,
  groupName,
  type InstanceId,
  instanceId,
  type NodeName,
  nodeName,
} from "../base/ids.ts";
import { instant } from "../base/time.ts";
import type { Ec2Instance, Life } from "../group/ec2-instance.ts";
import type { Instances } from "../group/group.port.ts";
import type { LaunchFacts, Machines } from "../group-work/machines.port.ts";
import { ask, listIn } from "./aws-fault.ts";
import { inParts } from "./in-parts.ts";
import { orThrottled, throwOnce } from "./throttles.ts";

// A filter takes no more values. See https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstances.html
const mostValues = 200;

type DescribedInstances = ReadonlyMap<InstanceId, Ec2Instance>;

/** The EC2 instances of an account and Region. */
export class Ec2Instances implements Instances {
  readonly #client: EC2Client;

  constructor(client: EC2Client) {
    this.#client = client;
  }

  async describe(instance: InstanceId): Promise<Ec2Instance | "unknown"> {
    const found = await this.#find(instance);
    return found === undefined ? "unknown" : ec2InstanceOf(instance, found);
  }

  /** Describes instances, without those that EC2 does not know. It says at once that EC2 throttles: the SDK would try for seconds. */
  describeSoon(instances: readonly InstanceId[]): Promise<DescribedInstances | "throttled"> {
    const doing = `describing ${instances.length} instances`;
    const found = async () => {
      const all = await inParts(instances, mostValues, async (part) => {
        const command = filtered(part);
        const withinTries = { step: "finalizeRequest", priority: "low" } as const;
        command.middlewareStack.add((next) => (args) => next(args).catch(throwOnce), withinTries);
        return instancesIn(await this.#client.send(command), doing);
      });
      const ids = all.map((one) => [instanceId(one.InstanceId ?? ""), one] as const);
      return new Map(ids.map(([id, one]) => [id, ec2InstanceOf(id, one)]));
    };
    return ask(doing, found).catch(orThrottled);
  }

  async namesOf(
    instances: readonly InstanceId[],
  ): Promise<ReadonlyMap<InstanceId, readonly NodeName[]>> {
    const found = await this.described(instances);
    const known = new Map(found.map((one) => [one.InstanceId, one]));
    return new Map(
      instances.flatMap((instance) => {
        const one = known.get(instance);
        return one === undefined ? [] : [[instance, namesOf(instance, one)]];
      }),
    );
  }

  async groupsOf(instances: readonly InstanceId[]): Promise<ReadonlyMap<InstanceId, GroupName>> {
    const found = await this.described(instances);
    return new Map(
      found.flatMap((one) => {
        const group = groupOf(one);
        return group === "none" ? [] : [[instanceId(one.InstanceId ?? ""), group]];
      }),
    );
  }

  /** Describes many instances in few calls. */
  protected described(instances: readonly InstanceId[]): Promise<readonly Instance[]> {
    return inParts(instances, mostValues, (part) => this.#filter(part));
  }

  /** A filter, unlike a list of ids, passes over instances that EC2 does not know. */
  #filter(instances: readonly InstanceId[]): Promise<readonly Instance[]> {
    const doing = `describing ${instances.length} instances`;
    return ask(doing, async () => instancesIn(await this.#client.send(filtered(instances)), doing));
  }

  async #find(instance: InstanceId): Promise<Instance | undefined> {
    const command = new DescribeInstancesCommand({ InstanceIds: [instance] });
    const doing = `describing instance ${instance}`;
    const found = await ask(
      doing,
      async () => instancesIn(await this.#client.send(command), doing),
      [/^InvalidInstanceID/, []],
    );
    return found.find(({ InstanceId }) => InstanceId === instance);
  }
}

const filtered = (instances: readonly InstanceId[]) =>
  new DescribeInstancesCommand({ Filters: [{ Name: "instance-id", Values: [...instances] }] });

const ec2InstanceOf = (instance: InstanceId, found: Instance): Ec2Instance => ({
  names: namesOf(instance, found),
  platform: found.Platform?.toLowerCase() === "windows" ? "windows" : "linux",
  profile: found.IamInstanceProfile?.Arn ?? "",
  vpc: found.VpcId ?? "",
  launched: instant(found.LaunchTime?.getTime() ?? 0),
  life: lifeOf(found),
  lifecycle: found.InstanceLifecycle ?? "on-demand",
});

/** The instances in an answer of DescribeInstances. */
export const instancesIn = (
  answer: DescribeInstancesCommandOutput,
  doing: string,
): readonly Instance[] =>
  listIn(answer, "Reservations", doing).flatMap(({ Instances: instances = [] }) => instances);

function lifeOf({ State: state, HibernationOptions: hibernation }: Instance): Life {
  switch (state?.Name) {
    case "terminated":
      return "terminated";
    case "stopped":
      // EC2 does not always say whether a stop was a hibernation, but only these instances can hibernate.
      return hibernation?.Configured === true ? "hibernated" : "stopped";
    case "stopping":
    case "shutting-down":
      return "ending";
    default:
      return "there";
  }
}

/** AWS reserves tags that begin with `aws:`, so this one is Auto Scaling's own. */
function groupOf({ Tags: tags = [] }: Instance): GroupName | "none" {
  const tag = tags.find(({ Key }) => Key === "aws:autoscaling:groupName");
  return tag?.Value === undefined ? "none" : groupName(tag.Value);
}

function namesOf(instance: InstanceId, found: Instance): readonly NodeName[] {
  // Bottlerocket and some bootstrap scripts name the node after the instance alone.
  const names = [found.PrivateDnsName, resourceName(instance, found.PrivateDnsName), instance];
  return names
    .filter((name) => name !== undefined && name !== "")
    .map((name) => nodeName(name ?? ""));
}

/** The name of a node that is named after its instance: `i-….<domain of the VPC>`. */
function resourceName(
  instance: InstanceId,
  privateDnsName: string | undefined,
): string | undefined {
  const domain = privateDnsName?.split(".").slice(1).join(".");
  return domain === undefined || domain === "" ? undefined : `${instance}.${domain}`;
}

/** The EC2 instances of an account and Region, with their launches and reboots. */
export class Ec2Machines extends Ec2Instances implements Machines {
  readonly #client: EC2Client;

  constructor(client: EC2Client) {
    super(client);
    this.#client = client;
  }

  async launches(instances: readonly InstanceId[]): Promise<ReadonlyMap<InstanceId, LaunchFacts>> {
    const found = await this.described(instances);
    return new Map(
      found.map((one) => {
        const id = instanceId(one.InstanceId ?? "");
        return [id, { at: instant(one.LaunchTime?.getTime() ?? 0), names: namesOf(id, one) }];
      }),
    );
  }

  reboot(instance: InstanceId): Promise<"asked" | "refused"> {
    const command = new RebootInstancesCommand({ InstanceIds: [instance] });
    const asked = async () => {
      await this.#client.send(command);
      return "asked" as const;
    };
    return ask(`rebooting ${instance}`, asked, [/^Invalid|^Incorrect/, "refused"]);
  }
}
