import type { NodeWrite } from "../drain/cluster.port.ts";
import { namesOf } from "../drain/ec2-instance.ts";
import { type GroupCase, tellBegun, writeRecord } from "./group-case.flow.ts";
import { illMarking, isMarkedUntil } from "./repair-marks.ts";
import type { RepairRecord } from "./repair-record.ts";
import type { RepairTools } from "./repair-tools.flow.ts";

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
  if (!(await isAsJudged(one, tools))) return "changed";
  if ((await tools.ports.fleets.giveUp(one.ill.patient.instance)) === "gone") return "gone";
  tellBegun(one, tools);
  return "marked";
}

/** An instance without a node has nothing to mark. */
async function markIll({ ill, mark }: GroupCase, { ports }: RepairTools): Promise<NodeWrite> {
  const { node } = ill;
  if (node === "none" || isMarkedUntil(node, mark.now)) return "marked";
  return ports.cluster.mark(node, () => illMarking(node, mark));
}

/** An instance may have registered meanwhile, also by its name alone, and its node may be another one or ready. */
async function isAsJudged({ ill }: GroupCase, { ports }: RepairTools): Promise<boolean> {
  const { node, patient } = ill;
  const { cluster, instances } = ports;
  if (node !== "none") {
    const now = await cluster.node(node.name);
    return now !== "absent" && now.uid === node.uid && now.readiness === node.readiness;
  }
  const names = namesOf(await instances.describe(patient.instance));
  const named = await Promise.all(names.map((name) => cluster.node(name)));
  const isNamed = named.some((one) => one !== "absent");
  return !isNamed && (await cluster.findNode(patient.instance, [])) === "absent";
}
