import { describe, expect, it } from "vitest";
import { Ec2CapacityBlocks } from "../../lambda/aws/ec2-capacity-blocks.ts";
import { instanceId } from "../../lambda/base/ids.ts";
import { hours, later, seconds } from "../../lambda/base/time.ts";
import { aServedAccount, start } from "../support/aws-account.ts";

const [id, other] = [instanceId("i-0123456789abcdef0"), instanceId("i-0123456789abcdef1")];
const place = { zone: "eu-west-1a", privateIp: "10.0.0.7" };
const reservation = "cr-0123456789abcdef0";
const ends = later(start, hours(24));

async function anAccount() {
  const { aws, ec2, timeline } = await aServedAccount();
  for (const one of [id, other]) aws.ec2.run({ ...place, id: one });
  const instanceType = "p5.48xlarge";
  const block = {
    id: reservation,
    type: "capacity-block",
    instanceType,
    endsIn: hours(24),
  } as const;
  aws.ec2.reserve({ ...block, state: "active" });
  aws.ec2.enterBlock(id, reservation);
  return { aws, block, timeline, blocks: new Ec2CapacityBlocks(ec2, timeline) };
}

describe("a Capacity Block of EC2", () => {
  it("is found by the id of its reservation, or around an instance in it", async () => {
    const { blocks } = await anAccount();
    const found = { ends, instanceType: "p5.48xlarge" };
    expect(await blocks.find(reservation)).toEqual(found);
    expect(await blocks.around(id)).toEqual(found);
    expect(await blocks.around(other)).toBe("unknown");
    expect(await blocks.around(instanceId("i-00000000"))).toBe("unknown");
  });

  it.each([
    { state: "expired" },
    { state: "scheduled" },
    { state: "active", type: "default" },
  ] as const)("is none if EC2 describes %j", async (change) => {
    const { aws, block, blocks } = await anAccount();
    aws.ec2.reserve({ ...block, ...change });
    expect(await blocks.find(reservation)).toBe("unknown");
  });

  it("is asked for once a minute, so that any number of notices may wait for its end", async () => {
    const { aws, block, blocks, timeline } = await anAccount();
    await blocks.find(reservation);
    aws.ec2.reserve({ ...block, state: "active", endsIn: hours(48) });
    timeline.pass(seconds(59));
    expect(await blocks.find(reservation)).toMatchObject({ ends });
    timeline.pass(seconds(1));
    expect(await blocks.find(reservation)).not.toMatchObject({ ends });
  });

  it("is asked for each time while EC2 does not know it", async () => {
    const { aws, block, blocks } = await anAccount();
    aws.ec2.reserve({ ...block, state: "scheduled" });
    expect(await blocks.find(reservation)).toBe("unknown");
    aws.ec2.reserve({ ...block, state: "active" });
    expect(await blocks.find(reservation)).toMatchObject({ ends });
  });

  it("is none if EC2 does not know it", async () => {
    const { blocks } = await anAccount();
    expect(await blocks.find("cr-00000000000000000")).toBe("unknown");
  });

  it("has the instances that EC2 runs in it, and no others", async () => {
    const { aws, blocks } = await anAccount();
    expect(await blocks.instancesIn(reservation, "each")).toEqual([id]);
    expect(await blocks.instancesIn(reservation, id)).toEqual([id]);
    expect(await blocks.instancesIn(reservation, other)).toEqual([]);
    aws.ec2.setState(id, "shutting-down");
    expect(await blocks.instancesIn(reservation, "each")).toEqual([]);
  });

  it("has no instance that was bought in another way, whatever its reservation", async () => {
    const { aws, blocks } = await anAccount();
    aws.ec2.buy(id, "interruptible-capacity-reservation");
    expect(await blocks.instancesIn(reservation, "each")).toEqual([]);
  });
});
