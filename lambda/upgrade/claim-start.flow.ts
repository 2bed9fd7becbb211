import type { FleetNode } from "./fleet-node.ts";
import { claimMarking, isClaimedByOthers } from "./node-marks.ts";
import type { UpgradeTools } from "./upgrade-tools.flow.ts";

/**
 * Claims the start of an upgrade at a node of its group; `taken` where another start has done so, or somebody has written the
 * node since it was read. Auto Scaling writes tags whatever they say by then; the API server refuses one of two such writes.
 * A group without a node has nothing to upgrade.
 */
export async function claimStart(
  id: string,
  nodes: readonly FleetNode[],
  { ports: { clock, cluster } }: UpgradeTools,
): Promise<"claimed" | "taken"> {
  const [first] = nodes.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (first === undefined) return "claimed";
  if (isClaimedByOthers(first, id, clock.now())) return "taken";
  const written = await cluster.mark(first, () => claimMarking(id, clock.now()));
  return written === "marked" ? "claimed" : "taken";
}
