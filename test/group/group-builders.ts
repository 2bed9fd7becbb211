import { groupName, instanceId } from "../../lambda/base/ids.ts";
import type { GroupInstance, ScalingGroup } from "../../lambda/group/scaling-group.ts";

export const template = "lt-0123456789abcdef0";

/** An instance of version 1 in service. */
export const anInstance = (change: Partial<GroupInstance> = {}): GroupInstance => ({
  id: instanceId("i-0123456789abcdef0"),
  zone: "eu-west-1a",
  state: "InService",
  source: { template, version: 1 },
  protection: "none",
  health: "healthy",
  ...change,
});

/** A group of three that launches by version 1. */
export const aScalingGroup = (change: Partial<ScalingGroup> = {}): ScalingGroup => ({
  name: groupName("workers"),
  sizes: { min: 1, max: 5, desired: 3 },
  zones: ["eu-west-1a", "eu-west-1b"],
  tags: {},
  source: { kind: "template", template: { template, version: 1 } },
  instances: [anInstance()],
  suspended: [],
  onAbandon: "terminate",
  maintenance: { kind: "none" },
  operator: "",
  ...change,
});
