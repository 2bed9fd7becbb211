import type { Stack } from "aws-cdk-lib";
import { AutoScalingGroup, CfnAutoScalingGroup } from "aws-cdk-lib/aws-autoscaling";
import { InstanceType, MachineImage } from "aws-cdk-lib/aws-ec2";
import { describe, expect, it } from "vitest";
import type { ManagedGroup } from "../../../lib/managed-group.ts";
import { ownLifecycle } from "../own-stack.ts";

const keeping = { atDeadline: "ABANDON", force: "never" } as const;

/** Whether this app's group may be kept at the deadline; the app makes the group, with this change of it. */
const keep = (change: (group: CfnAutoScalingGroup) => void) => () =>
  ownLifecycle((stack, { cluster }) => {
    const made = new AutoScalingGroup(stack, "Nodes", {
      vpc: cluster.vpc,
      instanceType: new InstanceType("m7g.large"),
      machineImage: MachineImage.latestAmazonLinux2023(),
    });
    const { defaultChild } = made.node;
    if (defaultChild instanceof CfnAutoScalingGroup) change(defaultChild);
    return { groups: [made], drain: keeping };
  });

describe("instances that are to be kept at the deadline of their drain", () => {
  it("are refused for a group of the same app that does not retain them, with what to change", () => {
    expect(keep(() => undefined)).toThrow(
      /drain\.atDeadline is "ABANDON", but group .* retains no abandoned instance.*terminateHookAbandon has to be "retain"/,
    );
    const terminating = keep((group) => {
      group.instanceLifecyclePolicy = { retentionTriggers: { terminateHookAbandon: "terminate" } };
    });
    expect(terminating).toThrow(/retains no abandoned instance/);
  });

  it("are accepted for one that retains them", () => {
    const retaining = keep((group) => {
      group.instanceLifecyclePolicy = { retentionTriggers: { terminateHookAbandon: "retain" } };
    });
    expect(retaining).not.toThrow();
  });

  it.each<[string, (stack: Stack) => ManagedGroup]>([
    ["by name", () => "workers"],
    ["imported", (stack) => AutoScalingGroup.fromAutoScalingGroupName(stack, "Group", "workers")],
  ])("are accepted for one that is only known %s, which the function asks about", (_, group) => {
    expect(() =>
      ownLifecycle((stack) => ({ groups: [group(stack)], drain: keeping })),
    ).not.toThrow();
  });

  it("are refused where drains may force pods", () => {
    expect(() => ownLifecycle(() => ({ drain: { atDeadline: "ABANDON" } }))).toThrow(
      /drain\.atDeadline: expected "CONTINUE", or "ABANDON" with drain\.force "never"/,
    );
  });
});
