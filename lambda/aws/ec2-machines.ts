import { type EC2Client, RebootInstancesCommand } from "@aws-sdk/client-ec2";
import { type InstanceId, instanceId } from "../base/ids.ts";
import { instant } from "../base/time.ts";
import type { Launch, Machines } from "../registrations/aws.port.ts";
import { ask } from "./aws-fault.ts";
import { Ec2Instances, namesOf } from "./ec2-instances.ts";

/** The EC2 instances of an account and Region, as repairs read and reboot them. */
export class Ec2Machines extends Ec2Instances implements Machines {
  readonly #client: EC2Client;

  constructor(client: EC2Client) {
    super(client);
    this.#client = client;
  }

  async launches(instances: readonly InstanceId[]): Promise<ReadonlyMap<InstanceId, Launch>> {
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
