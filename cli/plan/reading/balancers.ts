import { EC2Client } from "@aws-sdk/client-ec2";
import { AwsLoadBalancers } from "../../../lambda/adapters/aws/aws-load-balancers.ts";
import { Ec2Instances } from "../../../lambda/adapters/aws/ec2-instances.ts";
import { systemClock } from "../../../lambda/adapters/local/system-clock.ts";
import type { Target } from "../../../lambda/domain/balancer/target.ts";
import { instanceId } from "../../../lambda/domain/ids.ts";
import type { Node } from "../../../lambda/domain/node/node.ts";
import { faultOf } from "../../../lambda/fault.ts";
import type { AwsAccess } from "../../connect/aws-access.ts";

/** The load balancers that send requests to some nodes, by the name of the node, or why nobody has looked at them. */
export interface Balanced {
  readonly targets: ReadonlyMap<string, readonly Target[]>;
  readonly notLookedAt: readonly string[];
}

/** Nobody has looked at load balancers, because of what is said. */
export const unlooked = (why: string): Balanced => ({
  targets: new Map(),
  notLookedAt: [`load balancers (${why})`],
});

/** Looks which load balancers send requests to these nodes. */
export async function balanced(nodes: readonly Node[], aws: AwsAccess): Promise<Balanced> {
  const balancers = new AwsLoadBalancers(aws, systemClock);
  const instances = new Ec2Instances(new EC2Client(aws));
  try {
    const targets = new Map<string, readonly Target[]>();
    for (const { name, providerId } of nodes) {
      const id = instanceId(providerId.split("/").at(-1) ?? "");
      const found = await instances.describe(id);
      const vpc = found === "unknown" ? "" : found.vpc;
      targets.set(name, vpc === "" ? [] : await balancers.targetsOf(id, vpc));
    }
    return { targets, notLookedAt: [] };
  } catch (cause) {
    return unlooked(faultOf(cause).message);
  }
}
