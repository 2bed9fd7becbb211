import { DescribeInstancesCommand } from "@aws-sdk/client-ec2";
import { expect, it } from "vitest";
import { hours } from "../../lambda/base/time.ts";
import { aServedAccount } from "../support/aws-account.ts";

it("an instance loses its DNS name when it is terminated, and is forgotten after an hour", async () => {
  const { aws, ec2, timeline } = await aServedAccount();
  const id = "i-07e9ea9eb19a67337";
  aws.ec2.run({ id, zone: "eu-west-1a", privateIp: "192.168.18.230" });
  const found = () => ec2.send(new DescribeInstancesCommand({ InstanceIds: [id] }));

  aws.ec2.setState(id, "terminated");
  expect((await found()).Reservations?.[0]?.Instances).toMatchObject([
    { State: { Code: 48, Name: "terminated" }, PrivateDnsName: "" },
  ]);

  timeline.pass(hours(1));
  await expect(found()).rejects.toMatchObject({
    name: "InvalidInstanceID.NotFound",
    message: `The instance ID '${id}' does not exist`,
  });
});
