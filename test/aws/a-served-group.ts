import { FullAutoScalingGroups } from "../../lambda/aws/full-auto-scaling-groups.ts";
import { Ec2LaunchTemplates } from "../../lambda/aws/upgrade/ec2-launch-templates.ts";
import { groupName } from "../../lambda/base/ids.ts";
import { seconds } from "../../lambda/base/time.ts";
import { type GroupSpec, groupDefaults } from "../../sandbox/aws/group.ts";
import { aServedAccount } from "../support/aws-account.ts";

/** The group of these tests. */
export const workers = groupName("workers");
/** Its launch template, which has one version at first. */
export const template = groupDefaults.template.id;
/** Another image than that of the first version. */
export const newImage = "ami-0fedcba9876543210";

/** A version that EC2 has made. */
export function given<T>(made: T | "denied"): T {
  if (made === "denied") throw new Error("EC2 may make no version");
  return made;
}

/** Serves an account with a group of three instances, one in each zone, and adapters for it. */
export async function aServedGroup(spec: Partial<GroupSpec> = {}) {
  const account = await aServedAccount();
  const { aws, autoScaling, ec2, timeline } = account;
  const zones = ["eu-west-1a", "eu-west-1b", "eu-west-1c"];
  const usual = { min: 3, max: 3, desired: 3, launches: "by-itself" } as const;
  aws.autoScaling.createGroup({ name: workers, zones, ...usual, ...spec });
  timeline.pass(seconds(0));
  const instances = () => aws.autoScaling.register.instancesOf(workers);
  const groups = new FullAutoScalingGroups(autoScaling);
  const templates = new Ec2LaunchTemplates(ec2);
  const from = { template, version: 1 };
  const make = async (token = "0a1b2c3d") =>
    given(await templates.make({ from, image: newImage, description: "new", token }));
  return { ...account, groups, templates, instances, make };
}
