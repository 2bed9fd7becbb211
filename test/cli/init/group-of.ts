import type { AutoScalingGroup, TagDescription } from "@aws-sdk/client-auto-scaling";

/** A group as Auto Scaling describes it, launched from nothing yet. */
export const groupOf = (name: string, ...Tags: TagDescription[]): AutoScalingGroup => ({
  AutoScalingGroupName: name,
  MinSize: 0,
  MaxSize: 1,
  DesiredCapacity: 1,
  DefaultCooldown: 0,
  AvailabilityZones: [],
  HealthCheckType: "EC2",
  CreatedTime: new Date(0),
  Tags,
});
