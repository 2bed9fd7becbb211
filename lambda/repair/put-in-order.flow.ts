import { faultOf } from "../base/fault.ts";
import { faultEntry } from "../notice/fault-entry.flow.ts";
import { tryHealing, tryRebootMark } from "./repair-marks.ts";
import type { RecordUpkeep, RepairPlan } from "./repair-plan.ts";
import { recordTag } from "./repair-record.ts";
import type { RepairTools } from "./repair-tools.flow.ts";
import type { SurveyNode } from "./survey.ts";

/** Opens the nodes that are well again, and tidies the records of groups. A fault here stops no repair. */
export async function putInOrder({ undo, records }: RepairPlan, tools: RepairTools): Promise<void> {
  for (const node of undo) await orTell(open(node, tools), tools);
  for (const one of records) await orTell(keepRecords(one, tools), tools);
}

/** The next pass tries it again. */
async function orTell(part: Promise<void>, { ports: { journal } }: RepairTools): Promise<void> {
  try {
    await part;
  } catch (cause) {
    journal.record(faultEntry(faultOf(cause)));
  }
}

/** A node that somebody has written since is judged anew by the next pass. */
async function open(node: SurveyNode, { policy, ports }: RepairTools): Promise<void> {
  const { cluster, journal } = ports;
  // No group has taints of its own.
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
  { ports: { fleets, journal } }: RepairTools,
): Promise<void> {
  await fleets.tag(group, { ...Object.fromEntries(done.map(recordTag)), ...tags });
  await fleets.untag(group, remove);
  for (const { instance, by } of done)
    if (by !== "nobody-yet") journal.record({ kind: "repair-done", node: "", by, instance, group });
}
