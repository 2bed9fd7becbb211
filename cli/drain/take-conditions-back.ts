import { Fault } from "../../lambda/base/fault.ts";
import type { Node } from "../../lambda/drain/node.ts";
import { overOthers } from "../../lambda/drain/over-others.flow.ts";
import { KubeNodeConditions } from "../../lambda/kubernetes/node-conditions.ts";
import { remainingConditions } from "../../lambda/report/lifecycle-conditions.ts";
import type { DrainSite } from "./drain-site.ts";

/** Takes the conditions of a drain, which the functions have set, from a node that has no mark any more. The node is open whether that is possible or not. */
export async function takeConditionsBack(
  { name }: Pick<Node, "name">,
  { client, clock, report, stopped }: DrainSite,
): Promise<void> {
  const warn = (why: string) =>
    report.warn(
      `node ${name}`,
      `its condition DrainInProgress or Drained may be there still: ${why}`,
    );
  try {
    const conditions = new KubeNodeConditions(client, clock);
    const answer = await overOthers(() => conditions.change(name, remainingConditions), clock);
    if (answer === "changed") warn("others keep writing the node; repeat the command");
  } catch (cause) {
    if (stopped.aborted || !(cause instanceof Fault)) throw cause;
    warn(cause.message);
  }
}
