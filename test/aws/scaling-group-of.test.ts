import { expect, it } from "vitest";
import { scalingGroupOf } from "../../lambda/aws/scaling-group-of.ts";

const group = {
  AutoScalingGroupName: "workers",
  MinSize: 1,
  MaxSize: 3,
  DesiredCapacity: 2,
  AvailabilityZones: ["eu-west-1a"],
};
const member = {
  ...({ InstanceId: "i-1", AvailabilityZone: "eu-west-1a", LifecycleState: "InService" } as const),
  HealthStatus: "Healthy",
  ProtectedFromScaleIn: false,
};

it("names the default version of a template where a group names none, and a template by its name alone", () => {
  const LaunchTemplate = { LaunchTemplateName: "nodes" };

  expect(scalingGroupOf({ ...group, LaunchTemplate }, []).source).toEqual({
    kind: "template",
    template: { template: "nodes", version: "$Default" },
  });
});

it("tells which instances are unhealthy, and which are protected", () => {
  const Instances = [
    member,
    { ...member, HealthStatus: "Unhealthy" },
    { ...member, HealthStatus: "UNHEALTHY" },
    { ...member, ProtectedFromScaleIn: true },
  ];

  expect(
    scalingGroupOf({ ...group, Instances }, []).instances.map(({ health, protection }) => [
      health,
      protection,
    ]),
  ).toEqual([
    ["healthy", "none"],
    ["unhealthy", "none"],
    ["unhealthy", "none"],
    ["healthy", "scale-in"],
  ]);
});
