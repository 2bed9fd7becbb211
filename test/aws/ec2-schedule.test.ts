import { describe, expect, it } from "vitest";
import { Ec2Schedule } from "../../lambda/aws/ec2-schedule.ts";
import { instanceId } from "../../lambda/base/ids.ts";
import { aServedAccount, start } from "../support/aws-account.ts";

const id = instanceId("i-0123456789abcdef0");
const place = { id, zone: "eu-west-1a", privateIp: "10.0.0.7" };

async function anAccount() {
  const { aws, ec2 } = await aServedAccount();
  return { aws, schedule: new Ec2Schedule(ec2) };
}

describe("an EC2 instance", () => {
  it("has the events that EC2 has scheduled for it, without those that are over", async () => {
    const { aws, schedule } = await anAccount();
    aws.ec2.run(place);
    const event = { code: "system-reboot", description: "reboots", notBefore: start } as const;
    aws.ec2.schedule(id, { ...event, id: "instance-event-1" });
    aws.ec2.schedule(id, { ...event, id: "instance-event-2", description: "[Completed] reboots" });
    aws.ec2.schedule(id, { ...event, id: "instance-event-3", description: "[Canceled] reboots" });
    expect(await schedule.planned(id)).toEqual([start]);
    aws.ec2.setState(id, "stopped");
    expect(await schedule.planned(id)).toEqual([start]);
  });

  it("has no scheduled events if EC2 does not know it", async () => {
    const { schedule } = await anAccount();
    expect(await schedule.planned(id)).toEqual([]);
  });
});
