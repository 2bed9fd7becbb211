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
  it("is described with its DNS name, address, zone, profile and tags", async () => {
    const { found, profile } = await twoInstances();

    const [one, two] = await found({ InstanceIds: [linux, windows] });

    expect(one).toMatchObject({
      InstanceId: linux,
      PrivateDnsName: "ip-192-168-18-230.eu-west-1.compute.internal",
      PrivateIpAddress: "192.168.18.230",
      State: { Code: 16, Name: "running" },
      Placement: { AvailabilityZone: "eu-west-1a" },
      IamInstanceProfile: { Arn: profile.arn },
      LaunchTime: new Date("2026-03-23T10:00:00Z"),
      Tags: [
        { Key: "Name", Value: "one & <only>" },
        { Key: "team", Value: "x" },
      ],
    });
    expect(one?.Platform).toBeUndefined();
    expect(two).toMatchObject({ Platform: "windows", InstanceLifecycle: "spot" });
    expect(two?.IamInstanceProfile).toBeUndefined();
  });

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

  it("is found by filters, page by page", async () => {
    const { found, ec2, aws } = await twoInstances();
    aws.ec2.setState(windows, "stopped");
    const ids = async (Name: string, Values: string[]) =>
      (await found({ Filters: [{ Name, Values }] })).map(({ InstanceId }) => InstanceId);

    expect(await ids("private-dns-name", ["ip-192-168-18-230.*"])).toEqual([linux]);
    expect(await ids("instance-state-name", ["stopped", "stopping"])).toEqual([windows]);
    expect(await ids("tag:team", ["x"])).toEqual([linux]);
    await expect(ids("colour", ["red"])).rejects.toThrow("The filter 'colour' is invalid");

    const first = await ec2.send(new DescribeInstancesCommand({ MaxResults: 1 }));
    const second = await ec2.send(
      new DescribeInstancesCommand({ NextToken: first.NextToken, MaxResults: 5 }),
    );
    expect(first.Reservations?.[0]?.Instances?.[0]?.InstanceId).toBe(linux);
    expect(second.Reservations?.[0]?.Instances?.[0]?.InstanceId).toBe(windows);
    expect(second.NextToken).toBeUndefined();
    await expect(found({ InstanceIds: [linux], MaxResults: 5 })).rejects.toMatchObject({
      name: "InvalidParameterCombination",
    });
  });

  it("reports every change of its state", async () => {
    const { aws } = await twoInstances();
    const told: string[] = [];
    aws.ec2.onStateChange(({ id, state }) => told.push(`${id} ${state}`));

    aws.ec2.setState(linux, "stopping");
    aws.ec2.setState(linux, "stopping");

    expect(told).toEqual([`${linux} stopping`]);
  });
});

describe("an instance profile", () => {
  it("names its role with the full path", async () => {
    const { profileNamed, role } = await twoInstances();

    const { InstanceProfile: profile } = await profileNamed("nodes");

    expect(profile).toMatchObject({
      Arn: "arn:aws:iam::123456789012:instance-profile/team/nodes",
      Path: "/team/",
      Roles: [{ RoleName: "drainer", Arn: role.arn, RoleId: role.id }],
    });
  });

  it("that does not exist is reported as NoSuchEntity", async () => {
    const { profileNamed } = await twoInstances();

    await expect(profileNamed("nobody")).rejects.toMatchObject({
      name: "NoSuchEntityException",
      message: "Instance Profile nobody cannot be found.",
      $metadata: { httpStatusCode: 404 },
    });
  });
});
