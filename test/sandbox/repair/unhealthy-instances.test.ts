import {
  DescribeAutoScalingGroupsCommand,
  SetInstanceHealthCommand,
} from "@aws-sdk/client-auto-scaling";
import { describe, expect, it } from "vitest";
import { minutes, seconds } from "../../../lambda/base/time.ts";
import { type GroupSpec, type Hook, hookDefaults } from "../../../sandbox/aws/group.ts";
import { aServedAccount } from "../../support/aws-account.ts";

const zones = ["eu-west-1a", "eu-west-1b"];
const terminating: Hook = {
  ...hookDefaults,
  name: "drain",
  transition: "autoscaling:EC2_INSTANCE_TERMINATING",
};
const launching: Hook = {
  ...hookDefaults,
  name: "join",
  transition: "autoscaling:EC2_INSTANCE_LAUNCHING",
};

/** A group of two, one of which somebody declares unhealthy. */
async function aGroup(spec: Partial<GroupSpec> = {}, hooks: readonly Hook[] = []) {
  const account = await aServedAccount();
  const { aws, autoScaling, timeline } = account;
  const usual = { min: 1, max: 6, desired: 2, launches: "by-itself" } as const;
  aws.autoScaling.createGroup({ name: "workers", zones, ...usual, ...spec });
  timeline.pass(minutes(10));
  for (const hook of hooks) aws.autoScaling.putHook("workers", hook);
  const [ill] = aws.autoScaling.register.instancesOf("workers");
  const declare = async (HealthStatus: string, ShouldRespectGracePeriod = false) => {
    const request = { InstanceId: ill?.id, HealthStatus, ShouldRespectGracePeriod };
    await autoScaling.send(new SetInstanceHealthCommand(request));
    timeline.pass(seconds(1));
  };
  const told = async () => {
    const { AutoScalingGroups: [group] = [] } = await autoScaling.send(
      new DescribeAutoScalingGroupsCommand({}),
    );
    return group?.Instances?.map((one) => `${one.LifecycleState} ${one.HealthStatus}`);
  };
  return { ...account, declare, told, ill: ill?.id ?? "" };
}

describe("an instance that is declared unhealthy", () => {
  it("leaves through the hooks of its group, which launches another", async () => {
    const { declare, told, aws } = await aGroup({}, [terminating]);

    await declare("Unhealthy");

    expect(await told()).toEqual([
      "Terminating:Wait Unhealthy",
      "InService Healthy",
      "InService Healthy",
    ]);
    expect(aws.autoScaling.activities.of("workers").map(({ cause }) => cause)).toContainEqual(
      expect.stringContaining("out of service in response to a user health-check"),
    );
  });

  it.each([
    ["ReplaceUnhealthy", ["InService Unhealthy", "InService Healthy"]],
    ["Terminate", ["InService Unhealthy", "InService Healthy"]],
    ["Launch", ["Terminating:Wait Unhealthy", "InService Healthy"]],
    ["HealthCheck", ["Terminating:Wait Unhealthy", "InService Healthy", "InService Healthy"]],
  ])("meets the group's suspended process %s", async (process, states) => {
    const { declare, told, aws, timeline } = await aGroup({}, [terminating]);
    aws.autoScaling.suspend("workers", [process]);

    await declare("Unhealthy");
    expect(await told()).toEqual(states);

    aws.autoScaling.suspend("workers", []);
    timeline.pass(seconds(1));
    expect(await told()).toHaveLength(3);
  });

  it("stays until its replacement is in service, where the group's maintenance policy says so", async () => {
    const maintenance = { kind: "bounds", min: 100, max: 110 } as const;
    const { declare, told, aws, timeline } = await aGroup({ maintenance }, [
      terminating,
      launching,
    ]);

    await declare("Unhealthy");
    expect(await told()).toEqual([
      "InService Unhealthy",
      "InService Healthy",
      "Pending:Wait Healthy",
    ]);

    const [joining] = aws.autoScaling.actions();
    const by = { kind: "token", value: joining?.token ?? "" } as const;
    aws.autoScaling.complete({ group: "workers", hook: "join", by }, "CONTINUE");
    timeline.pass(seconds(1));
    expect(await told()).toEqual([
      "Terminating:Wait Unhealthy",
      "InService Healthy",
      "InService Healthy",
    ]);
    expect(aws.autoScaling.register.findGroup("workers").desired).toBe(2);
  });

  it("stays so by the account's setting too, unless the group has a policy", async () => {
    const first = async (spec: Partial<GroupSpec>) => {
      const { declare, told, aws } = await aGroup(spec, [terminating, launching]);
      aws.autoScaling.launchBeforeTerminate = "enabled";
      await declare("Unhealthy");
      return (await told())?.[0];
    };

    expect(await first({})).toBe("InService Unhealthy");
    const maintenance = { kind: "bounds", min: 90, max: 100 } as const;
    expect(await first({ maintenance })).toBe("Terminating:Wait Unhealthy");
  });
});
