import { faultOf } from "../../lambda/base/fault.ts";
import type { Node } from "../../lambda/drain/node.ts";
import type { Target } from "../../lambda/drain/target.ts";
import type { AwsAccess } from "../connect/aws-access.ts";
import { awsParts, instanceOf } from "../connect/aws-parts.ts";

/** The load balancers of some nodes, by the name of the node, or why they were not read. */
export interface Balanced {
  readonly targets: ReadonlyMap<string, readonly Target[]>;
  readonly notLookedAt: readonly string[];
}

/** Load balancers were not read, for this reason. */
export const unlooked = (why: string): Balanced => ({
  targets: new Map(),
  notLookedAt: [`load balancers (${why})`],
});

/** Reads which load balancers send requests to these nodes. */
export async function balanced(nodes: readonly Node[], aws: AwsAccess): Promise<Balanced> {
  const { balancers, ec2 } = awsParts(aws);
  try {
    const targets = new Map<string, readonly Target[]>();
    for (const node of nodes) {
      const id = instanceOf(node);
      const found = await ec2.describe(id);
      const vpc = found === "unknown" ? "" : found.vpc;
      targets.set(node.name, vpc === "" ? [] : await balancers.targetsOf(id, vpc));
    }
    return { targets, notLookedAt: [] };
  } catch (cause) {
    return unlooked(faultOf(cause).message);
  }
}
