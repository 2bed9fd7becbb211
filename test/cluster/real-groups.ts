import { minutes } from "../../lambda/base/time.ts";
import type { Aws } from "../../sandbox/aws/aws.ts";
import type { ClusterNode } from "./control-plane-options.ts";

/** An Auto Scaling group, with the instances that are in service in it. */
export interface RealGroup {
  readonly name: string;
  readonly nodes: readonly ClusterNode[];
  readonly tags?: Readonly<Record<string, string>>;
}

/** The hook that holds terminating instances. */
export const terminateHook = "Terminate-LC-Hook";

/** Creates a group with its instances, and the hook that notifies a topic of terminating ones. */
export function makeGroup(aws: Aws, { name, nodes, tags = {} }: RealGroup, topic: string): void {
  const zones = [...new Set(["eu-west-1a", ...nodes.map(({ zone }) => zone)])];
  aws.autoScaling.createGroup({
    name,
    zones,
    launches: "never",
    tags: Object.entries(tags).map(([key, value]) => ({ key, value, propagated: false })),
  });
  for (const node of nodes) joinGroup(aws, name, node);
  aws.autoScaling.putHook(name, {
    name: terminateHook,
    transition: "autoscaling:EC2_INSTANCE_TERMINATING",
    heartbeat: minutes(30),
    defaultResult: "CONTINUE",
    targetArn: topic,
  });
}

/** Puts an instance into a group, in service. */
export function joinGroup(
  { ec2, autoScaling }: Pick<Aws, "ec2" | "autoScaling">,
  group: string,
  { name, instanceId, zone }: ClusterNode,
): void {
  ec2.run({ id: instanceId, zone, privateIp: "10.0.0.1", privateDnsName: name });
  autoScaling.attach({ id: instanceId, zone, group });
}
