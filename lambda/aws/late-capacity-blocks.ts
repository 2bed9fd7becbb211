import type { EC2Client } from "@aws-sdk/client-ec2";
import type { Clock } from "../base/clock.port.ts";
import type { CapacityBlocks } from "../interruption/interruption.port.ts";
import { once } from "../process/once.ts";

/** The Capacity Blocks. The way to them is loaded with the first call, because most accounts have none. */
export function lateCapacityBlocks(client: EC2Client, clock: Pick<Clock, "now">): CapacityBlocks {
  const blocks = once(async () => {
    const { Ec2CapacityBlocks } = await import("./ec2-capacity-blocks.ts");
    return new Ec2CapacityBlocks(client, clock);
  });
  return {
    find: async (reservation) => (await blocks()).find(reservation),
    around: async (instance) => (await blocks()).around(instance),
    instancesIn: async (...asked) => (await blocks()).instancesIn(...asked),
  };
}
