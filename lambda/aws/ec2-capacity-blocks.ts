import {
  type DescribeCapacityReservationsCommandInput,
  type DescribeCapacityReservationsCommandOutput,
  DescribeInstancesCommand,
  type EC2Client,
  type Filter,
  type Instance,
  type ServiceInputTypes,
  type ServiceOutputTypes,
} from "@aws-sdk/client-ec2";
import { makeBuilder } from "@smithy/core/client";
import { getEndpointPlugin } from "@smithy/core/endpoints";
import type { StaticOperationSchema, StaticStructureSchema } from "@smithy/types";
import type { Clock } from "../base/clock.port.ts";
import { type InstanceId, instanceId } from "../base/ids.ts";
import { milliseconds, minutes } from "../base/time.ts";
import type { CapacityBlock } from "../interruption/capacity-block.ts";
import type { CapacityBlocks } from "../interruption/interruption.port.ts";
import { TtlCache } from "../process/ttl-cache.ts";
import { tryActiveBlock } from "./active-block.ts";
import { ask, listIn } from "./aws-fault.ts";
import { instancesIn } from "./ec2-instances.ts";

const model = "com.amazonaws.ec2";
const time = 4;
const inItems = { xmlName: "item" };
const called = (name: string) => ({
  ec2QueryName: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
  xmlName: name,
});

/**
 * The operation as the SDK describes it, with no more than what is read: the SDK's own description would be loaded whenever
 * the function starts. @see https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeCapacityReservations.html
 */
const describeReservations: StaticOperationSchema = [
  9,
  model,
  "DescribeCapacityReservations",
  0,
  () => [
    3,
    model,
    "DescribeCapacityReservationsRequest",
    0,
    ["CapacityReservationIds"],
    [
      [
        () => [1, model, "CapacityReservationIdSet", 0, [0, inItems]],
        { xmlName: "CapacityReservationId" },
      ],
    ],
  ],
  () => [
    3,
    model,
    "DescribeCapacityReservationsResult",
    0,
    ["CapacityReservations"],
    [
      [
        () => [1, model, "CapacityReservationSet", 0, [described, inItems]],
        called("capacityReservationSet"),
      ],
    ],
  ],
];

const described = () =>
  [
    3,
    model,
    "CapacityReservation",
    0,
    ["InstanceType", "State", "EndDate", "ReservationType"],
    [
      [0, called("instanceType")],
      [0, called("state")],
      [time, called("endDate")],
      [0, called("reservationType")],
    ],
  ] satisfies StaticStructureSchema;

const atEndpoint = {
  UseFIPS: { type: "builtInParams", name: "useFipsEndpoint" },
  Endpoint: { type: "builtInParams", name: "endpoint" },
  Region: { type: "builtInParams", name: "region" },
  UseDualStack: { type: "builtInParams", name: "useDualstackEndpoint" },
} as const;

const builder = makeBuilder<EC2Client["config"], ServiceInputTypes, ServiceOutputTypes>(
  atEndpoint,
  "AmazonEC2",
  "EC2Client",
  getEndpointPlugin,
);

const DescribeReservations = builder<
  DescribeCapacityReservationsCommandInput,
  DescribeCapacityReservationsCommandOutput
>({}, () => [], "DescribeCapacityReservations", describeReservations);

const runs = ({ State: state }: Instance): boolean =>
  state?.Name === "pending" || state?.Name === "running";

const isOfBlock = ({ InstanceLifecycle: lifecycle }: Instance): boolean =>
  lifecycle === "capacity-block";

/** The Capacity Blocks of an account and Region. */
export class Ec2CapacityBlocks implements CapacityBlocks {
  readonly #client: EC2Client;
  /** Any number of notices may wait for the end of one block, and all of them ask for it. */
  readonly #known: TtlCache<CapacityBlock | "unknown">;

  constructor(client: EC2Client, clock: Pick<Clock, "now">) {
    this.#client = client;
    this.#known = new TtlCache(clock, (found) =>
      found === "unknown" ? milliseconds(0) : minutes(1),
    );
  }

  find(reservation: string): Promise<CapacityBlock | "unknown"> {
    return this.#known.recall(reservation, () => this.#ask(reservation));
  }

  async #ask(reservation: string): Promise<CapacityBlock | "unknown"> {
    const doing = `describing Capacity Reservation ${reservation}`;
    const command = new DescribeReservations({ CapacityReservationIds: [reservation] });
    const found = await ask(
      doing,
      async () => listIn(await this.#client.send(command), "CapacityReservations", doing),
      [/^InvalidCapacityReservationId/, []],
    );
    const [block = "unknown" as const] = found.flatMap((one) => tryActiveBlock(one) ?? []);
    return block;
  }

  async around(instance: InstanceId): Promise<CapacityBlock | "unknown"> {
    const [found] = await this.#described([{ Name: "instance-id", Values: [instance] }]);
    const reservation = found?.CapacityReservationId;
    return reservation === undefined ? "unknown" : this.find(reservation);
  }

  async instancesIn(
    reservation: string,
    which: InstanceId | "each",
  ): Promise<readonly InstanceId[]> {
    const inBlock = { Name: "capacity-reservation-id", Values: [reservation] };
    const one = which === "each" ? [] : [{ Name: "instance-id", Values: [which] }];
    const found = await this.#described([inBlock, ...one]);
    return found
      .filter((instance) => runs(instance) && isOfBlock(instance))
      .map(({ InstanceId: id = "" }) => instanceId(id));
  }

  async #described(filters: readonly Filter[]): Promise<readonly Instance[]> {
    const doing = "describing instances in Capacity Reservations";
    const found: Instance[] = [];
    let NextToken: string | undefined;
    do {
      const command = new DescribeInstancesCommand({ Filters: [...filters], NextToken });
      const answer = await ask(doing, () => this.#client.send(command));
      found.push(...instancesIn(answer, doing));
      NextToken = answer.NextToken;
    } while (NextToken !== undefined && NextToken !== "");
    return found;
  }
}
