import { faultOf } from "../base/fault.ts";
import { sideBySide } from "../base/side-by-side.ts";
import type { MachineNode } from "../drain/node.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import { illSinceMarking, tryHealing, tryRebootMark } from "./repair-marks.ts";
import type { RecordUpkeep, RepairPlan } from "./repair-plan.ts";
import { recordTag } from "./repair-record.ts";
import type { RepairTools } from "./repair-tools.flow.ts";

const fewAtOnce = 5;

/** Updates nodes and groups. What takes longer, such as a write of a node that gets no answer, goes on beside the repairs of others. */
export async function keepUp(plan: RepairPlan, tools: RepairTools): Promise<void> {
  await writeTraces(plan.traces, tools);
  await putInOrder(plan, tools);
}

// An agent may find the same on all nodes at once. The next pass writes what is left.
const mostTraces = 200;

/** Writes down which reasons the conditions of nodes have, and since when. A fault here does not stop repairs. */
async function writeTraces(traces: RepairPlan["traces"], tools: RepairTools): Promise<void> {
  const { cluster } = tools.ports;
  await sideBySide(traces.slice(0, mostTraces), fewAtOnce, ({ node, text }) =>
    orTell(
      cluster.mark(node, () => illSinceMarking(text)),
      tools,
    ),
  );
}

/** Uncordons nodes that are well again, and updates the records of the groups. A fault here does not stop repairs. */
async function putInOrder({ undo, records }: RepairPlan, tools: RepairTools): Promise<void> {
  for (const node of undo) await orTell(open(node, tools), tools);
  for (const one of records) await orTell(keepRecords(one, tools), tools);
}

/** Logs a failure. The next pass tries again. */
async function orTell(part: Promise<unknown>, { ports: { journal } }: RepairTools): Promise<void> {
  try {
    await part;
  } catch (cause) {
    journal.record(faultEntry(faultOf(cause)));
  }
}

/** Uncordons a node. If it has changed in the meantime, the next pass judges it again. */
async function open(node: MachineNode, { policy, ports }: RepairTools): Promise<void> {
  const { cluster, journal } = ports;
  // The taints are a setting of the deployment; a group cannot override them.
  const unmarking = tryHealing(node, policy.drain.settingsFor({}).settings.taints);
  if (unmarking === undefined) return;
  if ((await cluster.mark(node, () => unmarking)) !== "marked") return;
  const { name, instance } = node;
  journal.record({ kind: "mark-undone", node: name, instance });
  if (tryRebootMark(node)?.bootId !== node.bootId && tryRebootMark(node) !== undefined)
    journal.record({ kind: "repair-done", node: name, by: "reboot", instance });
}

async function keepRecords(
  { group, done, tags, remove }: RecordUpkeep,
  { ports: { groups, journal } }: RepairTools,
): Promise<void> {
  await groups.tag(group, { ...Object.fromEntries(done.map(recordTag)), ...tags });
  await groups.untag(group, remove);
  for (const { instance, by } of done)
    if (by !== "nobody-yet") journal.record({ kind: "repair-done", node: "", by, instance, group });
}
