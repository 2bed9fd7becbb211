import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { EC2Client } from "@aws-sdk/client-ec2";
import { beforeAll, describe, expect, it } from "vitest";
import { Ec2Machines } from "../../lambda/aws/ec2-instances.ts";
import { FullAutoScalingGroups } from "../../lambda/aws/full-auto-scaling-groups.ts";
import { lateZonalShifts } from "../../lambda/aws/late-zonal-shifts.ts";
import { type StackTemplate, templateSchema } from "../../sandbox/stack/template-schema.ts";
import { account, start } from "../support/aws-account.ts";
import { groupsFor, others, workers } from "./groups-for.ts";
import { ownStack } from "./own-stack.ts";

let template: StackTemplate;
beforeAll(() => {
  template = templateSchema.parse(ownStack(() => ({ repairs: "on" })).template.toJSON());
});

/** The adapters of the repair function with the rights of its role. */
async function theFunction() {
  const { settings, instanceOf } = await groupsFor(template, "RepairsRepairRole");
  const autoScaling = new AutoScalingClient(settings);
  return {
    instanceOf,
    groups: new FullAutoScalingGroups(autoScaling),
    machines: new Ec2Machines(new EC2Client(settings)),
    shifts: lateZonalShifts(account.region, settings),
  };
}

const record = "eks-node-lifecycle/repaired/i-07e9ea9eb19a67337";

describe("the role of the repair function", () => {
  it("suffices for all that a repair does to a managed group and its instances", async () => {
    const { groups, machines, shifts, instanceOf } = await theFunction();
    const instance = instanceOf(workers);

    expect((await groups.managed([workers])).map(({ name }) => name)).toEqual([workers]);
    expect(await groups.activities(workers, start)).toMatchObject({ failures: [] });
    expect(await groups.refresh(workers)).toBe("none");
    expect(await shifts.away()).toEqual([]);
    expect((await machines.launches([instance])).size).toBe(1);
    await groups.tag(workers, { [record]: "now" });
    expect(await machines.reboot(instance)).toBe("asked");
    expect(await groups.giveUp(instance)).toBe("given-up");
    await groups.untag(workers, [record]);
  });

  type Deed = (by: Awaited<ReturnType<typeof theFunction>>) => Promise<unknown>;
  it.each<[string, Deed]>([
    [
      "have another group replace an instance",
      ({ groups, instanceOf }) => groups.giveUp(instanceOf(others)),
    ],
    [
      "reboot an instance of another group",
      ({ machines, instanceOf }) => machines.reboot(instanceOf(others)),
    ],
    ["end an instance", ({ groups, instanceOf }) => groups.terminate(instanceOf(workers), "kept")],
    ["resize a group", ({ groups }) => groups.resize(workers, { max: 4 })],
    ["tag another group", ({ groups }) => groups.tag(others, { [record]: "a" })],
    [
      "change a setting of repairs",
      ({ groups }) => groups.tag(workers, { "eks-node-lifecycle/repair-at-once": "100" }),
    ],
    [
      "remove a setting of the drain",
      ({ groups }) => groups.untag(workers, ["eks-node-lifecycle/drain"]),
    ],
  ])("does not let it %s", async (_, deed) => {
    await expect(deed(await theFunction())).rejects.toMatchObject({ code: "aws.denied" });
  });
});
