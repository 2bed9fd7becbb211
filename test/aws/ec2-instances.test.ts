import { describe, expect, it } from "vitest";
import { Ec2Instances } from "../../lambda/aws/ec2-instances.ts";
import { instanceId } from "../../lambda/base/ids.ts";
import { aServedAccount, start } from "../support/aws-account.ts";

const id = instanceId("i-0123456789abcdef0");
const place = { id, zone: "eu-west-1a", privateIp: "10.0.0.7" };

async function anAccount() {
  const { aws, ec2 } = await aServedAccount();
  return { aws, instances: new Ec2Instances(ec2) };
}

describe("an EC2 instance", () => {
  it("has the names that its node may have, its profile and the time of its launch", async () => {
    const { aws, instances } = await anAccount();
    const profileArn = "arn:aws:iam::123456789012:instance-profile/team/nodes";
    aws.ec2.run({ ...place, profileArn });

    expect(await instances.describe(id)).toEqual({
      names: [
        "ip-10-0-0-7.eu-west-1.compute.internal",
        "i-0123456789abcdef0.eu-west-1.compute.internal",
        "i-0123456789abcdef0",
      ],
      platform: "linux",
      profile: profileArn,
      vpc: "vpc-0a1b2c3d4e5f60718",
      launched: start,
      life: "there",
      lifecycle: "on-demand",
    });
  });

  it.each([
    ["there", ["pending", "running"]],
    ["ending", ["stopping", "shutting-down"]],
    ["stopped", ["stopped"]],
    ["terminated", ["terminated"]],
  ] as const)("is %s while EC2 calls it one of %j", async (life, states) => {
    const { aws, instances } = await anAccount();
    aws.ec2.run(place);

    for (const state of states) {
      aws.ec2.setState(id, state);
      expect(await instances.describe(id)).toMatchObject({ life });
    }
  });

  it("may be hibernated while it is stopped, if it can hibernate at all", async () => {
    const { aws, instances } = await anAccount();
    aws.ec2.run({ ...place, hibernation: "configured" });
    aws.ec2.setState(id, "stopped");

    expect(await instances.describe(id)).toMatchObject({ life: "hibernated" });
  });

  it("belongs to the group that Auto Scaling has tagged it with, even after its end", async () => {
    const { aws, instances } = await anAccount();
    aws.ec2.run({ ...place, tags: { Name: "web", "aws:autoscaling:groupName": "workers" } });
    aws.ec2.setState(id, "terminated");

    const other = instanceId("i-0123456789abcdef1");
    aws.ec2.run({ ...place, id: other });

    const unknown = instanceId("i-0123456789abcdef2");
    const groups = await instances.groupsOf([id, other, unknown]);
    expect([...groups]).toEqual([[id, "workers"]]);
  });

  it("says when it runs Windows, and when it has no profile", async () => {
    const { aws, instances } = await anAccount();
    aws.ec2.run({ ...place, platform: "windows" });

    expect(await instances.describe(id)).toMatchObject({ platform: "windows", profile: "" });
  });

  it("is unknown while EC2 has not heard of it", async () => {
    const { instances } = await anAccount();

    expect(await instances.describe(id)).toBe("unknown");
  });

  it("is named among hundreds by one call for each two hundred, and left out if EC2 does not know it", async () => {
    const { aws, instances } = await anAccount();
    const ids = Array.from({ length: 450 }, (_, at) =>
      instanceId(`i-${String(at).padStart(17, "0")}`),
    );
    for (const [at, each] of ids.entries())
      if (at % 9 > 0) aws.ec2.run({ ...place, id: each, privateIp: `10.0.${at >> 8}.${at & 255}` });

    const names = await instances.namesOf(ids);

    expect([...names.keys()]).toEqual(ids.filter((_, at) => at % 9 > 0));
    expect(names.get(instanceId("i-00000000000000257"))?.[0]).toBe(
      "ip-10-0-1-1.eu-west-1.compute.internal",
    );
    expect(aws.calls.of("DescribeInstances")).toHaveLength(3);
    expect(await instances.namesOf([])).toEqual(new Map());
  });

  it.each([
    ["spot", "spot"],
    ["interruptible-capacity-reservation", "interruptible-capacity-reservation"],
    ["capacity-block", "capacity-block"],
    ["on-demand", "on-demand"],
  ] as const)("that is bought as %s is called so", async (lifecycle, said) => {
    const { aws, instances } = await anAccount();
    aws.ec2.run({ ...place, lifecycle });
    expect(await instances.describe(id)).toMatchObject({ lifecycle: said });
  });
});
