import { DescribeInstancesCommand, type EC2Client, type Instance } from "@aws-sdk/client-ec2";
import { type InstanceId, type NodeName, nodeName } from "../../domain/ids.ts";
import type { Ec2Instance } from "../../domain/node/ec2-instance.ts";
import { instant } from "../../domain/time.ts";
import type { Instances } from "../../ports/instances.ts";
import { awsFault, isAwsError } from "./aws-fault.ts";

/** The EC2 instances of an account and Region. */
export class Ec2Instances implements Instances {
  readonly #client: EC2Client;

  constructor(client: EC2Client) {
    this.#client = client;
  }

  async describe(instance: InstanceId): Promise<Ec2Instance | "unknown"> {
    const found = await this.#find(instance);
    if (found === undefined) return "unknown";
    return {
      names: namesOf(instance, found),
      platform: found.Platform?.toLowerCase() === "windows" ? "windows" : "linux",
      profile: found.IamInstanceProfile?.Arn ?? "",
      launched: instant(found.LaunchTime?.getTime() ?? 0),
      life: found.State?.Name === "terminated" ? "terminated" : "there",
    };
  }

  async #find(instance: InstanceId): Promise<Instance | undefined> {
    try {
      const { Reservations: reservations = [] } = await this.#client.send(
        new DescribeInstancesCommand({ InstanceIds: [instance] }),
      );
      const instances = reservations.flatMap(({ Instances: listed = [] }) => listed);
      return instances.find(({ InstanceId }) => InstanceId === instance);
    } catch (cause) {
      if (isAwsError(cause, /^InvalidInstanceID/, /./)) return undefined;
      throw awsFault(`describing instance ${instance}`, cause);
    }
  }
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
