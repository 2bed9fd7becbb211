import { describe, expect, it } from "vitest";
import { scalingGroupOf } from "../../lambda/aws/scaling-group-of.ts";
import { instanceId } from "../../lambda/base/ids.ts";
import { minutes, seconds } from "../../lambda/base/time.ts";
import { type GroupSpec, groupDefaults } from "../../sandbox/aws/group.ts";
import { start } from "../support/aws-account.ts";
import { aServedGroup, newImage, template, workers } from "./a-served-group.ts";

const arm = { ...groupDefaults.template, id: "lt-0fedcba9876543210", name: "arm" };
const mixed: Partial<GroupSpec> = {
  overrides: [
    { type: "m7i.large", template: "of-policy" },
    { type: "m7g.large", template: { ...arm, version: "$Latest" } },
  ],
};

describe("a group", () => {
  it("is told with its sizes, zones, tags, template and instances", async () => {
    const tags = [{ key: "team", value: "", propagated: true }];
    const { groups, instances } = await aServedGroup({ tags, suspended: ["AZRebalance"] });

    expect(await groups.withPool(workers)).toEqual({
      name: workers,
      sizes: { min: 3, max: 3, desired: 3 },
      zones: ["eu-west-1a", "eu-west-1b", "eu-west-1c"],
      tags: { team: "" },
      source: { kind: "template", template: { template, version: 1 } },
      suspended: ["AZRebalance"],
      onAbandon: "terminate",
      operator: "",
      maintenance: { kind: "none" },
      instances: instances().map(({ id, zone }) => ({
        id,
        zone,
        state: "InService",
        source: { template, version: 1 },
        protection: "none",
        health: "healthy",
      })),
    });
    expect(instances().map(({ zone }) => zone.at(-1))).toEqual(["a", "b", "c"]);
  });

  it("that is not there is absent", async () => {
    const { groups, aws } = await aServedGroup();
    aws.autoScaling.createGroup({ name: "others", zones: ["eu-west-1a"] });

    expect(await groups.withPool("nobody" as typeof workers)).toBe("absent");
  });

  it.each(["$Latest", "$Default"] as const)(
    "names %s of its template, and its instances the number that was",
    async (version) => {
      const named = { ...groupDefaults.template, version };
      const { groups, make } = await aServedGroup({ template: named });
      await make();

      const group = await groups.withPool(workers);

      expect(group).toMatchObject({
        source: { kind: "template", template: { template, version } },
        instances: [1, 1, 1].map((number) => ({ source: { template, version: number } })),
      });
    },
  );

  it("counts in weights where an override has one that is not 1", () => {
    const weightsOf = (WeightedCapacity?: string) => {
      const Overrides = [{ InstanceType: "m6i.large", WeightedCapacity }];
      const LaunchTemplate = {
        LaunchTemplateSpecification: { LaunchTemplateId: template },
        Overrides,
      };
      const sizes = { MinSize: 1, MaxSize: 9, DesiredCapacity: 3 };
      const named = { AutoScalingGroupName: "workers", AvailabilityZones: ["eu-west-1a"] };
      return scalingGroupOf({ ...named, ...sizes, MixedInstancesPolicy: { LaunchTemplate } }, [])
        .source;
    };

    expect(weightsOf("4")).toMatchObject({ kind: "mixed", weights: "some" });
    expect(weightsOf("1")).toMatchObject({ weights: "none" });
    expect(weightsOf()).toMatchObject({ weights: "none" });
  });

  it("that launches by a configuration says so, and its instances too", async () => {
    const configuration = {
      ...groupDefaults.template,
      kind: "configuration",
      name: "old",
    } as const;
    const { groups } = await aServedGroup({ template: configuration });

    expect(await groups.withPool(workers)).toMatchObject({
      source: { kind: "configuration", name: "old" },
      instances: [1, 2, 3].map(() => ({ source: "configuration" })),
    });
  });

  it("has the instances of its warm pool too, on however many pages they are", async () => {
    const warmPool = { kind: "pool", state: "Stopped", onScaleIn: "terminate" } as const;
    const { groups, aws } = await aServedGroup({ warmPool });
    for (let at = 0; at < 120; at += 1) {
      const id = `i-${String(at).padStart(17, "0")}`;
      const state = "Warmed:Stopped";
      aws.autoScaling.attach({ id, zone: "eu-west-1a", group: workers, state });
    }

    const group = await groups.withPool(workers);

    const warm = Object(group).instances.filter(({ state = "" }) => state === "Warmed:Stopped");
    expect(warm).toHaveLength(120);
    expect(aws.calls.of("DescribeWarmPool")).toHaveLength(3);
  });

  it("without a warm pool is read with one call", async () => {
    const { groups, aws } = await aServedGroup();

    await groups.withPool(workers);

    expect(aws.calls.all()).toHaveLength(1);
  });
});

describe("changing a group", () => {
  it("launches new instances by the other version, and leaves the old ones as they are", async () => {
    const { groups, make, timeline } = await aServedGroup();
    const made = await make();

    await groups.launchBy(workers, made);
    await groups.resize(workers, { max: 5, desired: 5 });
    timeline.pass(seconds(1));

    expect(await groups.withPool(workers)).toMatchObject({
      sizes: { min: 3, max: 5, desired: 5 },
      source: { kind: "template", template: { template, version: 2 } },
      instances: [1, 1, 1, 2, 2].map((version) => ({ source: { template, version } })),
    });
  });

  it("launches from the image of the new version", async () => {
    const { groups, make, timeline, aws, instances } = await aServedGroup();
    await groups.launchBy(workers, await make());
    await groups.resize(workers, { max: 4, desired: 4 });
    timeline.pass(seconds(1));

    expect(aws.ec2.find(instances().at(-1)?.id ?? "").imageId).toBe(newImage);
  });

  it("leaves the overrides of a mixed instances policy as they are, and all else of it", async () => {
    const { groups, make, aws } = await aServedGroup(mixed);
    const made = await make();

    await groups.launchBy(workers, made);

    const [change] = aws.calls.of("UpdateAutoScalingGroup");
    expect(change?.parameters).toEqual({
      AutoScalingGroupName: workers,
      MixedInstancesPolicy: {
        LaunchTemplate: {
          LaunchTemplateSpecification: { LaunchTemplateId: template, Version: "2" },
          Overrides: [
            { InstanceType: "m7i.large" },
            {
              InstanceType: "m7g.large",
              LaunchTemplateSpecification: { LaunchTemplateId: arm.id, Version: "$Latest" },
            },
          ],
        },
        InstancesDistribution: expect.objectContaining({ OnDemandBaseCapacity: 0 }),
      },
    });
    expect(await groups.withPool(workers)).toMatchObject({
      source: {
        template: { template, version: 2 },
        overrides: [{ template: arm.id, version: "$Latest" }],
      },
    });
  });

  it("sets only the sizes that are given", async () => {
    const { groups } = await aServedGroup();

    await groups.resize(workers, { max: 6 });

    expect(await groups.withPool(workers)).toMatchObject({ sizes: { min: 3, max: 6, desired: 3 } });
  });

  it("to sizes that contradict each other is a fault with Auto Scaling's words", async () => {
    const { groups } = await aServedGroup();

    await expect(groups.resize(workers, { desired: 7 })).rejects.toMatchObject({
      code: "aws.refused",
      message: expect.stringContaining(
        "resizing workers to desired 7: HTTP 400 ValidationError: Desired capacity:7 must be between the specified min size:3 and max size:3",
      ),
    });
  });

  it("to a template that is not there is a fault that names it", async () => {
    const { groups } = await aServedGroup();
    const gone = { template: "lt-0000000000000000a", version: 3 };

    await expect(groups.launchBy(workers, gone)).rejects.toMatchObject({
      code: "aws.refused",
      message: expect.stringContaining("workers launch by lt-0000000000000000a version 3"),
    });
  });

  it("that is not there is a fault", async () => {
    const { groups } = await aServedGroup();
    const nobody = "nobody" as typeof workers;

    for (const change of [
      () => groups.resize(nobody, { max: 1 }),
      () => groups.launchBy(nobody, { template, version: 1 }),
      () => groups.tag(nobody, { a: "b" }),
      () => groups.untag(nobody, ["a"]),
      () => groups.failures(nobody, start),
      () => groups.refresh(nobody),
    ])
      await expect(change()).rejects.toMatchObject({ code: "aws.refused" });
  });
});

describe("tags of a group", () => {
  it("are written and removed, and its instances do not get them", async () => {
    const { groups, aws, timeline, instances } = await aServedGroup();

    await groups.tag(workers, { "eks-node-lifecycle/upgrade": "id=1a phase=setup", other: "" });
    await groups.resize(workers, { max: 4, desired: 4 });
    timeline.pass(seconds(1));
    expect(await groups.withPool(workers)).toMatchObject({
      tags: { "eks-node-lifecycle/upgrade": "id=1a phase=setup", other: "" },
    });
    expect(aws.ec2.find(instances().at(-1)?.id ?? "").tags).toEqual({
      "aws:autoscaling:groupName": workers,
    });

    await groups.untag(workers, ["eks-node-lifecycle/upgrade", "never-there"]);
    expect(await groups.withPool(workers)).toMatchObject({ tags: { other: "" } });
  });

  it("cost no call when there are none", async () => {
    const { groups, aws } = await aServedGroup();

    await groups.tag(workers, {});
    await groups.untag(workers, []);

    expect(aws.calls.all()).toEqual([]);
  });

  it.each(["$Latest", "50%", '{"a":1}', "x".repeat(257)])(
    "cannot have the value %s, as Auto Scaling has it",
    async (value) => {
      const { groups } = await aServedGroup();

      await expect(groups.tag(workers, { key: value })).rejects.toMatchObject({
        code: "aws.refused",
      });
    },
  );
});

describe("terminating an instance", () => {
  it("ends it, and the group replaces it in the same zone by the template it has now", async () => {
    const { groups, make, timeline, instances } = await aServedGroup();
    await groups.launchBy(workers, await make());
    const [, leaving] = instances();

    expect(await groups.terminate(instanceId(leaving?.id ?? ""), "kept")).toBe("terminating");
    timeline.pass(minutes(1));

    const group = await groups.withPool(workers);
    expect(group).toMatchObject({ sizes: { desired: 3 } });
    expect(
      Object(group).instances.map(({ zone, source }: never) => [zone, Object(source).version]),
    ).toEqual([
      ["eu-west-1a", 1],
      ["eu-west-1c", 1],
      ["eu-west-1b", 2],
    ]);
  });

  it("has the group shrink in the same moment where that is wanted", async () => {
    const { groups, instances, timeline } = await aServedGroup();
    await groups.resize(workers, { min: 1 });

    await groups.terminate(instanceId(instances()[0]?.id ?? ""), "shrinks");
    timeline.pass(minutes(1));

    expect(await groups.withPool(workers)).toMatchObject({ sizes: { desired: 2 } });
    expect(instances()).toHaveLength(2);
  });

  it("that has gone already is no failure, and one that is going neither", async () => {
    const { groups, instances, timeline } = await aServedGroup();
    const id = instanceId(instances()[0]?.id ?? "");
    await groups.terminate(id, "kept");

    expect(await groups.terminate(id, "kept")).toBe("terminating");

    timeline.pass(minutes(1));
    expect(await groups.terminate(id, "kept")).toBe("gone");
  });
});

describe("failures", () => {
  it("are the activities that failed since then, in Auto Scaling's own words", async () => {
    const { groups, aws, timeline } = await aServedGroup();
    aws.autoScaling.failures.plan({ why: "addresses", zones: ["eu-west-1b"], times: 1 });
    await groups.resize(workers, { max: 6, desired: 6 });
    timeline.pass(minutes(1));
    const since = timeline.now();
    aws.autoScaling.failures.plan({ why: "capacity" });
    await groups.resize(workers, { max: 7, desired: 7 });
    timeline.pass(seconds(10));

    const found = await groups.failures(workers, since);

    expect(found.map(({ at }) => at)).toEqual([since, since, since]);
    const message =
      "We currently do not have sufficient m6i.large capacity in the Availability Zone you requested (eu-west-1c). Our system will be working on provisioning additional capacity. You can currently get m6i.large capacity by not specifying an Availability Zone in your request or choosing eu-west-1a, eu-west-1b. Launching EC2 instance failed.";
    expect(found.find((one) => one.message.includes("(eu-west-1c)"))).toEqual({
      at: since,
      description: `Launching a new EC2 instance.  Status Reason: ${message}`,
      message,
    });
    const all = await groups.failures(workers, start);
    expect(all.at(-1)?.message).toContain("not enough free addresses in subnet");
    expect(all).toHaveLength(4);
  });

  it("are read only as far back as wanted, page by page", async () => {
    const { groups, aws, timeline } = await aServedGroup();
    aws.autoScaling.failures.plan({ why: "limit" });
    await groups.resize(workers, { max: 4, desired: 4 });
    timeline.pass(minutes(90));

    expect(await groups.failures(workers, start)).toHaveLength(91 * 3);
    expect(aws.calls.of("DescribeScalingActivities")).toHaveLength(3);

    const lately = await groups.failures(workers, timeline.now());
    expect(lately).toHaveLength(3);
    expect(aws.calls.of("DescribeScalingActivities")).toHaveLength(4);
  });

  it("are also launches that the launch hook abandons, and no launches or ends that succeed", async () => {
    const { groups, aws, timeline, instances } = await aServedGroup();
    await groups.terminate(instanceId(instances()[0]?.id ?? ""), "kept");
    timeline.pass(minutes(1));
    aws.autoScaling.putHook(workers, {
      name: "launch",
      transition: "autoscaling:EC2_INSTANCE_LAUNCHING",
      heartbeat: minutes(30),
    });
    await groups.resize(workers, { max: 4, desired: 4 });
    timeline.pass(minutes(31));

    expect(await groups.failures(workers, start)).toEqual([
      {
        at: expect.any(Number),
        description: expect.stringMatching(
          /^Launching a new EC2 instance: i-\w+\. {2}Status Reason: Instance failed to complete user's Lifecycle Action/,
        ),
        message: expect.stringMatching(/was abandoned: Heartbeat Timeout$/),
      },
    ]);
  });
});

describe("an instance refresh", () => {
  it.each([
    ["none", []],
    ["none", ["Successful", "Cancelled"]],
    ["active", ["InProgress", "Successful"]],
    ["active", ["Pending"]],
    ["active", ["RollbackInProgress"]],
  ] as const)("is %s where the group tells of %j", async (told, statuses) => {
    const refreshes = statuses.map((status) => ({ id: status, status, startedAt: start }));
    const { groups } = await aServedGroup({ refreshes });

    expect(await groups.refresh(workers)).toBe(told);
  });
});
