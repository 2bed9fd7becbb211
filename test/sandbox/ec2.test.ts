import { DescribeInstancesCommand, type DescribeInstancesCommandInput } from "@aws-sdk/client-ec2";
import { GetInstanceProfileCommand } from "@aws-sdk/client-iam";
import { describe, expect, it } from "vitest";
import { hours } from "../../lambda/base/time.ts";
import { aServedAccount } from "./aws-account.ts";

const linux = "i-07e9ea9eb19a67337";
const windows = "i-0598c7d356eba48d7";

async function twoInstances() {
  const account = await aServedAccount();
  const { aws, ec2, iam, role } = account;
  const profile = aws.iam.createInstanceProfile({ name: "nodes", path: "/team/" }, [role]);
  aws.ec2.run({
    id: linux,
    zone: "eu-west-1a",
    privateIp: "192.168.18.230",
    profileArn: profile.arn,
    tags: { Name: "one & <only>", team: "x" },
  });
  const spot = { platform: "windows", lifecycle: "spot" } as const;
  aws.ec2.run({ id: windows, zone: "eu-west-1b", privateIp: "192.168.18.231", ...spot });
  const found = async (request: DescribeInstancesCommandInput) => {
    const { Reservations: reservations = [] } = await ec2.send(
      new DescribeInstancesCommand(request),
    );
    return reservations.flatMap(({ Instances: instances = [] }) => instances);
  };
  const profileNamed = (InstanceProfileName: string) =>
    iam.send(new GetInstanceProfileCommand({ InstanceProfileName }));
  return { ...account, profile, found, profileNamed };
}

describe("an instance", () => {
  it("loses its DNS name when it is terminated, and is forgotten after an hour", async () => {
    const { aws, found, timeline } = await twoInstances();

    aws.ec2.setState(linux, "terminated");
    expect(await found({ InstanceIds: [linux] })).toMatchObject([
      { State: { Code: 48, Name: "terminated" }, PrivateDnsName: "" },
    ]);

    timeline.pass(hours(1));
    await expect(found({ InstanceIds: [linux] })).rejects.toMatchObject({
      name: "InvalidInstanceID.NotFound",
      message: `The instance ID '${linux}' does not exist`,
      $metadata: { httpStatusCode: 400 },
    });
  });

  it.each([
    [
      ["i-00000000000000000", "i-00000000000000001"],
      "NotFound",
      "The instance IDs 'i-00000000000000000, i-00000000000000001' do not exist",
    ],
    [["i-nothex"], "Malformed", 'Invalid id: "i-nothex"'],
    [["nodes"], "Malformed", 'Invalid id: "nodes" (expecting "i-...")'],
  ])("is not found by the unknown or malformed ids %j", async (InstanceIds, kind, message) => {
    const { found } = await twoInstances();

    await expect(found({ InstanceIds })).rejects.toMatchObject({
      name: `InvalidInstanceID.${kind}`,
      message,
    });
  });
});
