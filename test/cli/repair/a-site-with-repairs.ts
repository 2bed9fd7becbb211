import { nodes } from "../../../sandbox/kubernetes/core-resources.ts";
import { demoNode } from "../../../sandbox/scenarios/demo-ng.ts";
import { aSite, type Site, type SiteOptions } from "../connect/a-site.ts";

/** A node of the demo that stays, and its instance. */
export const [neighbour, instance] = [
  "ip-192-168-43-17.eu-west-1.compute.internal",
  "i-0a4c1f92d6b83e570",
] as const;

/** The demo with a deployment whose stack tells of a repair function; it has the settings of the node function. */
export async function aSiteWithRepairs(options: SiteOptions = {}): Promise<Site> {
  const site = await aSite(options);
  site.aws.cloudFormation.addStack(demoNode.names.stack, {
    FunctionName: demoNode.names.function,
    LogGroupName: `/aws/lambda/${demoNode.names.function}`,
    QueueUrl: site.aws.sqs.urlOf(demoNode.names.queue, new URL(site.url).host),
    DeadLettersUrl: site.aws.sqs.urlOf(demoNode.names.deadLetters, new URL(site.url).host),
    RepairFunctionName: demoNode.names.function,
  });
  return site;
}

/** Gives a node a condition, as the node monitoring agent does, that is so since then. */
export function setCondition(
  { cluster }: Site,
  { type, since }: Readonly<Record<"since" | "type", string>>,
): void {
  cluster.store.update({ resource: nodes, name: neighbour }, (node) => {
    const broken = { status: "False", reason: "Broken", message: "" } as const;
    const own = { type, ...broken, lastTransitionTime: since };
    const { conditions = [] } = node.status;
    const others = conditions.filter((one) => one.type !== type);
    return { ...node, status: { ...node.status, conditions: [...others, own] } };
  });
}
