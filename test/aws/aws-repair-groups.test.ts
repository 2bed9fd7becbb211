import { describe, expect, it } from "vitest";
import { FullAutoScalingGroups } from "../../lambda/aws/full-auto-scaling-groups.ts";
import { groupName, instanceId } from "../../lambda/base/ids.ts";
import { minutes, seconds } from "../../lambda/base/time.ts";
import { start } from "../support/aws-account.ts";
import { aServedGroup, workers } from "./a-served-group.ts";

const zones = ["eu-west-1a"];
const tagged = (key: string, value: string) => [{ key, value, propagated: false }];

/** Three groups besides the one of the name, two of them with tags. */
async function someGroups() {
  const served = await aServedGroup({ max: 4 });
  const { aws, autoScaling } = served;
  aws.autoScaling.createGroup({ name: "gpu", zones, tags: tagged("team", "ml") });
  aws.autoScaling.createGroup({ name: "web", zones, tags: tagged("team", "web") });
  aws.autoScaling.createGroup({ name: "others", zones });
  return { ...served, repairs: new FullAutoScalingGroups(autoScaling) };
}

describe("the groups that may be repaired", () => {
  it("are those of the names and those of each tag, each once", async () => {
    const { repairs, aws } = await someGroups();
    const tags = ["ml", "web"].map((value) => ({ key: "team", value }));

    const found = await repairs.managed([workers, groupName("gpu"), ...tags]);

    expect(found.map(({ name }) => name).toSorted()).toEqual(["gpu", "web", "workers"]);
    expect(found.find(({ name }) => name === workers)?.instances).toHaveLength(3);
    expect(aws.calls.of("DescribeAutoScalingGroups")).toHaveLength(3);
  });

  it("are read in further requests where there are more than fifty names", async () => {
    const { repairs, aws } = await someGroups();
    const names = Array.from({ length: 51 }, (_, at) => groupName(`group-${at}`));
    for (const name of names) aws.autoScaling.createGroup({ name, zones });

    expect(await repairs.managed(names)).toHaveLength(51);
  });

  it("are told with the instances of their warm pools", async () => {
    const { repairs, aws } = await someGroups();
    aws.autoScaling.createGroup({
      name: "pooled",
      zones,
      warmPool: { kind: "pool", state: "Stopped", onScaleIn: "terminate" },
    });
    const pooled = { id: "i-00000000000000009", zone: "eu-west-1a", group: "pooled" };
    aws.autoScaling.attach({ ...pooled, state: "Warmed:Stopped" });

    const [found] = await repairs.managed([groupName("pooled")]);

    expect(found?.instances).toMatchObject([{ state: "Warmed:Stopped" }]);
  });
});

describe("an instance that is given up", () => {
  it("is gone when Auto Scaling does not find it, and another refusal is a fault that tells why", async () => {
    const { repairs, instances, aws } = await someGroups();
    const [first = { id: "" }] = instances();
    expect(await repairs.giveUp(instanceId("i-0fedcba9876543210"))).toBe("gone");
    expect(await repairs.giveUp(instanceId(first.id))).toBe("given-up");

    const message = "You cannot set the health of this instance.";
    const call = { service: "autoscaling", action: "SetInstanceHealth" };
    aws.faults.failNext(call, { code: "ValidationError", status: 400, message });
    await expect(repairs.giveUp(instanceId(first.id))).rejects.toThrow(
      /^aws.refused: setting the health of i-\S+ .*You cannot set the health/,
    );
  });
});

describe("the activities of a group", () => {
  it("tell when an instance came into service", async () => {
    const { repairs, instances, timeline } = await someGroups();
    timeline.pass(minutes(2));

    const { entered, failures } = await repairs.activities(workers, start);

    expect(new Set(entered.keys())).toEqual(new Set(instances().map(({ id }) => id)));
    expect(failures).toEqual([]);
  });

  it("tell of failures until a launch succeeds", async () => {
    const { repairs, aws, timeline } = await someGroups();
    const { autoScaling } = aws;
    autoScaling.failures.plan({ why: "capacity" });
    autoScaling.setDesired(workers, 4);
    timeline.pass(seconds(30));
    expect((await repairs.activities(workers, start)).failures).not.toEqual([]);

    autoScaling.failures.clear();
    timeline.pass(minutes(10));

    expect((await repairs.activities(workers, start)).failures).toEqual([]);
  });
});

describe("an instance that is given up", () => {
  it("is unhealthy, even in the grace period of its group", async () => {
    const { repairs, instances } = await someGroups();
    const [first] = instances();

    expect(await repairs.giveUp(instanceId(first?.id ?? ""))).toBe("given-up");

    expect(instances().find(({ id }) => id === first?.id)?.health).toBe("unhealthy");
  });

  it("is gone when no group has it", async () => {
    const { repairs } = await someGroups();

    expect(await repairs.giveUp(instanceId("i-0000000000000000f"))).toBe("gone");
  });
});
