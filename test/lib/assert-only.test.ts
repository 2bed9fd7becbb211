import { App, Stack } from "aws-cdk-lib";
import { SecurityGroup, Vpc } from "aws-cdk-lib/aws-ec2";
import { describe, expect, it } from "vitest";
import { NodeLifecycle } from "../../lib/node-lifecycle.ts";

/** A stack with a construct for a cluster. */
function keep(app: App, region: string, clusterName = "own"): void {
  const stack = new Stack(app, `In-${app.node.children.length}`, {
    env: { region, account: "123456789012" },
  });
  const vpc = Vpc.fromVpcAttributes(stack, "Vpc", {
    vpcId: "vpc-0123456789abcdef0",
    availabilityZones: ["eu-west-1a"],
    privateSubnetIds: ["subnet-0123456789abcdef0"],
  });
  const clusterSecurityGroup = SecurityGroup.fromSecurityGroupId(
    stack,
    "Of",
    "sg-0123456789abcdef0",
  );
  new NodeLifecycle(stack, "Lifecycle", {
    cluster: { clusterName, vpc, clusterSecurityGroup },
    authenticationMode: "API",
    groups: ["workers"],
  });
}

describe("a second construct in an app", () => {
  it("is refused for the same cluster, with what would do", () => {
    const app = new App();
    keep(app, "eu-west-1");
    expect(() => keep(app, "eu-west-1")).toThrow(
      "In-0/Lifecycle and In-1/Lifecycle are both for the cluster own; one with all groups will do",
    );
  });

  it("will do for another cluster, or for one of the same name elsewhere", () => {
    const app = new App();
    keep(app, "eu-west-1");
    keep(app, "eu-west-1", "other");
    expect(() => keep(app, "eu-central-1")).not.toThrow();
  });
});
