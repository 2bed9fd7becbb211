import {
  DescribeInstanceStatusCommand,
  type EC2Client,
  type InstanceStatusEvent,
} from "@aws-sdk/client-ec2";
import type { InstanceId } from "../base/ids.ts";
import { type Instant, instant } from "../base/time.ts";
import type { WorkSchedule } from "../interruption/interruption.port.ts";
import { ask, listIn } from "./aws-fault.ts";

/** The events that EC2 has scheduled for instances. */
export class Ec2Schedule implements WorkSchedule {
  readonly #client: EC2Client;

  constructor(client: EC2Client) {
    this.#client = client;
  }

  async planned(instance: InstanceId): Promise<readonly Instant[]> {
    const command = new DescribeInstanceStatusCommand({
      InstanceIds: [instance],
      IncludeAllInstances: true,
    });
    const doing = `describing the scheduled events of instance ${instance}`;
    const statuses = await ask(
      doing,
      async () => listIn(await this.#client.send(command), "InstanceStatuses", doing),
      [/^InvalidInstanceID/, []],
    );
    return statuses
      .filter(({ InstanceId }) => InstanceId === instance)
      .flatMap(({ Events = [] }) => Events.filter(isOpen))
      .map(({ NotBefore }) => instant(NotBefore?.getTime() ?? 0));
  }
}

/**
 * Whether an event is still to come. EC2 lists one for a week after its end, and says so in its description.
 *
 * @see https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceStatusEvent.html
 */
const isOpen = ({ Description = "" }: InstanceStatusEvent): boolean =>
  !/^\[(?:Completed|Canceled)\]/i.test(Description);
