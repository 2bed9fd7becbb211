import type { InstanceId } from "../base/ids.ts";
import { unchanged } from "../drain/marking.ts";
import type { MachineNode } from "../drain/node.ts";
import { longestFailing } from "./failed-writes.ts";
import type { UpgradeTools } from "./upgrade-tools.flow.ts";

/**
 * The nodes that an upgrade ends without: their writes have failed for long, while others could be written. If no other node
 * can be written either, the fault is not theirs, and the upgrade waits for all of them.
 */
export async function unwritableAmong(
  nodes: readonly MachineNode[],
  upgrade: string,
  tools: UpgradeTools,
): Promise<ReadonlySet<InstanceId>> {
  const { failedWrites } = tools;
  const givenUp = nodes.filter((node) => failedWrites.isGivenUp(node, upgrade));
  const due = nodes.filter((node) => failedWrites.failingFor(node, upgrade) >= longestFailing);
  if (due.length > givenUp.length) {
    const othersWork = await isAnyWritten(nodes, upgrade, tools);
    for (const node of due) failedWrites.compare(node, othersWork);
  }
  return new Set(givenUp.map(({ instance }) => instance));
}

const mostTried = 3;
const nothing = { ...unchanged, annotations: {} };

/** Whether one of a few other nodes takes a write that changes nothing. */
async function isAnyWritten(
  nodes: readonly MachineNode[],
  upgrade: string,
  { ports: { cluster }, failedWrites }: UpgradeTools,
): Promise<boolean> {
  const others = nodes.filter((node) => !failedWrites.has(node, upgrade)).slice(0, mostTried);
  const answers = await Promise.allSettled(others.map((node) => cluster.mark(node, () => nothing)));
  return answers.some((answer) => answer.status === "fulfilled" && answer.value === "marked");
}
