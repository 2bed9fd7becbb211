import { illMarking, isMarkedUntil } from "../../domain/repair/repair-marks.ts";
import type { RepairRecord } from "../../domain/repair/repair-record.ts";
import type { NodeWrite } from "../../ports/cluster.ts";
import { type GroupCase, tellBegun, writeRecord } from "./group-case.ts";
import type { RepairTools } from "./repair-tools.ts";

/**
 * Marks the node of an ill instance, records the repair, and has the group replace the instance. Each part may be repeated.
 * A node that somebody has written since it was judged is left to the next look: `changed`.
 */
export async function replace(
  one: GroupCase,
  record: RepairRecord,
  tools: RepairTools,
): Promise<NodeWrite> {
  const written = await markIll(one, tools);
  if (written !== "marked") return written;
  await writeRecord(one, record, tools);
  if ((await tools.ports.repairGroups.giveUp(one.ill.patient.instance)) === "gone") return "gone";
  tellBegun(one, tools);
  return "marked";
}

/** An instance without a node has nothing to mark. */
async function markIll({ ill, mark }: GroupCase, { ports }: RepairTools): Promise<NodeWrite> {
  const { node } = ill;
  if (node === "none" || isMarkedUntil(node, mark.now)) return "marked";
  return ports.cluster.mark(node, () => illMarking(node, mark));
}
