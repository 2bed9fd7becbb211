import {
  EC2Client,
  type Instance,
  paginateDescribeCapacityReservations,
  paginateDescribeInstances,
} from "@aws-sdk/client-ec2";
import { tryActiveBlock } from "../../lambda/aws/active-block.ts";
import { listIn } from "../../lambda/aws/aws-fault.ts";
import { counted } from "../../lambda/base/counted.ts";
import { type Instant, inSeconds, timestamp } from "../../lambda/base/time.ts";
import {
  blockDrainFrom,
  type CapacityBlock,
  instancesEnd,
} from "../../lambda/interruption/capacity-block.ts";
import { type AwsAccess, allOf } from "./aws-access.ts";
import { type Found, readFrom } from "./found.ts";

/** The right to read Capacity Blocks, and the one to read their instances if there are any. */
export const blocksAction = "ec2:DescribeCapacityReservations";
export const blockInstancesAction = "ec2:DescribeInstances";

/** The instances of an Auto Scaling group that run in a Capacity Block. */
export interface GroupInBlock {
  /** Empty for instances of no group. */
  readonly group: string;
  readonly reservation: string;
  readonly block: CapacityBlock;
  readonly instances: readonly string[];
}

/** The groups whose instances run in Capacity Blocks, with their blocks. */
export async function groupsInBlocks(aws: AwsAccess): Promise<Found<readonly GroupInBlock[]>> {
  const client = new EC2Client(aws);
  const blocks = await readFrom("listing Capacity Reservations", blocksAction, () =>
    activeBlocks(client),
  );
  if (blocks.kind === "unknown" || blocks.value.size === 0)
    return blocks.kind === "unknown" ? blocks : { kind: "known", value: [] };
  return readFrom("listing the instances of Capacity Blocks", blockInstancesAction, async () =>
    grouped(await instancesIn([...blocks.value.keys()], client), blocks.value),
  );
}

type Blocks = ReadonlyMap<string, CapacityBlock>;

async function activeBlocks(client: EC2Client): Promise<Blocks> {
  const Filters = [{ Name: "state", Values: ["active"] }];
  const pages = paginateDescribeCapacityReservations({ client }, { Filters });
  const all = await allOf(pages, (page) => listIn(page, "CapacityReservations", "listing blocks"));
  return new Map(
    all.flatMap((one): (readonly [string, CapacityBlock])[] => {
      const block = tryActiveBlock(one);
      return block === undefined ? [] : [[one.CapacityReservationId ?? "", block]];
    }),
  );
}

async function instancesIn(reservations: readonly string[], client: EC2Client) {
  const Filters = [{ Name: "capacity-reservation-id", Values: [...reservations] }];
  const pages = paginateDescribeInstances({ client }, { Filters });
  const all = await allOf(pages, (page) => listIn(page, "Reservations", "listing instances"));
  return all.flatMap(({ Instances: instances = [] }) => instances).filter(isThere);
}

const isThere = ({ State: state }: Instance): boolean => state?.Name !== "terminated";

const groupTag = "aws:autoscaling:groupName";
const groupOf = ({ Tags: tags = [] }: Instance): string =>
  tags.find(({ Key }) => Key === groupTag)?.Value ?? "";

function grouped(instances: readonly Instance[], blocks: Blocks): readonly GroupInBlock[] {
  const together = Map.groupBy(
    instances,
    (one) => `${one.CapacityReservationId ?? ""} ${groupOf(one)}`,
  );
  return [...together.values()].flatMap((its) => {
    const [first] = its;
    const reservation = first?.CapacityReservationId ?? "";
    const block = blocks.get(reservation);
    if (first === undefined || block === undefined) return [];
    const ids = its.map(({ InstanceId: id = "" }) => id).toSorted();
    return [{ group: groupOf(first), reservation, block, instances: ids }];
  });
}

const at = (time: Instant): string => inSeconds(timestamp(time));

/** When the instances of a group in a Capacity Block end, and their drains begin. */
export const blockWords = ({ group, reservation, block, instances }: GroupInBlock): string =>
  `${group === "" ? "no group" : `group ${group}`}: ${counted(instances.length, "instance")} in Capacity Block ${reservation}, which ends at ${at(block.ends)}; EC2 ends them from ${at(instancesEnd(block))} on, and their drains begin at ${at(blockDrainFrom(block))}`;
