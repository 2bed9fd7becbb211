import { instanceId } from "../../lambda/base/ids.ts";
import { runsOn } from "../../lambda/drain/node.ts";
import type { AwsAccess } from "../connect/aws-access.ts";
import { blockWords, type GroupInBlock, groupsInBlocks } from "../connect/blocks-at.ts";
import { nothingBeside, type PlanPart } from "./plan-part.ts";
import type { PlanScope } from "./scope.ts";

/** Says which Capacity Blocks the nodes of a plan run in. Without a named cluster AWS is not asked. */
export async function blocksOf(
  { nodes }: PlanScope,
  cluster: string,
  aws: AwsAccess,
): Promise<Pick<PlanPart, "notLookedAt" | "remarks">> {
  if (cluster === "") return nothingBeside;
  const found = await groupsInBlocks(aws);
  if (found.kind === "unknown")
    return { remarks: [], notLookedAt: [`Capacity Blocks (${found.why}; ${found.remedy})`] };
  const isOfNodes = (instance: string): boolean =>
    nodes.some((node) => runsOn(node, instanceId(instance)));
  const concerned = found.value.flatMap((one): readonly GroupInBlock[] => {
    const instances = one.instances.filter(isOfNodes);
    return instances.length === 0 ? [] : [{ ...one, instances }];
  });
  return { remarks: concerned.map(blockWords), notLookedAt: [] };
}
