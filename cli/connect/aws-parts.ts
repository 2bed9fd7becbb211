import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { EC2Client } from "@aws-sdk/client-ec2";
import { AutoScalingGroups } from "../../lambda/aws/auto-scaling-groups.ts";
import { AwsLoadBalancers } from "../../lambda/aws/aws-load-balancers.ts";
import { Ec2Instances } from "../../lambda/aws/ec2-instances.ts";
import { type InstanceId, instanceId } from "../../lambda/base/ids.ts";
import type { Node } from "../../lambda/drain/node.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import type { AwsAccess } from "./aws-access.ts";

/** The parts of AWS that tell about an instance. */
export interface AwsParts {
  readonly groups: AutoScalingGroups;
  readonly ec2: Ec2Instances;
  readonly balancers: AwsLoadBalancers;
}

/** The same ports as the function's, with the credentials of the user. */
export const awsParts = (aws: AwsAccess): AwsParts => ({
  groups: new AutoScalingGroups(new AutoScalingClient(aws)),
  ec2: new Ec2Instances(new EC2Client(aws)),
  balancers: new AwsLoadBalancers(aws, systemClock),
});

/** The instance of a node, from the last part of its provider ID. */
export const instanceOf = ({ providerId }: Pick<Node, "providerId">): InstanceId =>
  instanceId(providerId.split("/").at(-1) ?? "");
