import { type Duration, seconds } from "../base/time.ts";
import { drainUnasked } from "../drain/drain-unasked.flow.ts";
import type { MachineNode } from "../drain/node.ts";
import { overOthers } from "../drain/over-others.flow.ts";
import type { Outcome, Pass } from "../notice/outcome.ts";
import type { NodeWrite } from "../registrations/kubernetes.port.ts";
import type { Journal } from "../registrations/process.port.ts";
import {
  drainingMark,
  isAt,
  type RebootMark,
  rebootingMarking,
  rebootMarking,
  tryRebootMark,
} from "./repair-marks.ts";
import { causeText, type RepairRecord } from "./repair-record.ts";
import {
  type GroupCase,
  type RepairTools,
  subjectOf,
  tellBegun,
  writeRecord,
} from "./repair-tools.flow.ts";

const soon = seconds(5);
/** How soon somebody looks whether a machine is back. */
export const beforeNextLook = seconds(30);

/** Marks an ill node, drains it, and then reboots its machine; says when to look again. */
export async function reboot(
  one: GroupCase,
  record: RepairRecord,
  tools: RepairTools,
): Promise<Duration> {
  const { node } = one.ill;
  if (node === "none") return soon;
  await writeRecord(one, record, tools);
  if (tryRebootMark(node) === undefined) {
    const { cluster } = tools.ports;
    const written = await cluster.mark(node, () => rebootingMarking(node, one.mark));
    if (written !== "marked") return soon;
    tellBegun(one, tools);
  }
  const pass = await tools.reportsDrain(node.instance, (journal) => drain(one, tools, journal));
  if (!("outcome" in pass)) return "wait" in pass ? pass.wait : soon;
  if (hasMachine(pass.outcome)) await startAnew(one, node, tools);
  return beforeNextLook;
}

const hasMachine = ({ kind }: Outcome): boolean => kind !== "no-node" && kind !== "instance-ended";

function drain(
  { ill: { patient }, scalingGroup, mark: { begun, timeout } }: GroupCase,
  { policy, ports, passEnds, receives }: RepairTools,
  journal: Journal,
): Promise<Pass> {
  const { settings } = policy.drain.settingsFor(scalingGroup.tags);
  const { instance } = patient;
  const how = { settings: { ...settings, timeout }, begun, receives, passEnds };
  return drainUnasked({ instance, ...how, reason: "ill" }, { ...ports, journal });
}

/**
 * Tells a machine to reboot after its node says so: of several passes only one can write that, and only that one tells the
 * machine. Where it dies in between, the boot id stays the same, and after ten minutes another pass tells the machine once more.
 */
async function startAnew(one: GroupCase, node: MachineNode, tools: RepairTools): Promise<void> {
  const { clock, machines, journal } = tools.ports;
  const before = tryRebootMark(node) ?? drainingMark(node, one.mark);
  const stage = before.stage === "draining" ? "asking" : "rebooting";
  const asked: RebootMark = { ...before, stage, at: clock.now() };
  if ((await moveOn(node, { from: before, to: asked }, tools.ports)) !== "marked") return;
  await machines.reboot(node.instance);
  journal.record({
    kind: "repair-rebooted",
    ...subjectOf(one.ill),
    cause: causeText(one.ill.illness),
  });
  if (stage === "rebooting") return;
  await moveOn(node, { from: asked, to: { ...asked, stage: "rebooting" } }, tools.ports);
}

/** Moves the mark of a reboot on; `gone` where the node or its mark is another one now. */
function moveOn(
  { name, uid }: MachineNode,
  { from, to }: { readonly from: RebootMark; readonly to: RebootMark },
  { cluster, clock }: RepairTools["ports"],
): Promise<NodeWrite> {
  return overOthers(async () => {
    const now = await cluster.node(name);
    if (now === "absent" || now.uid !== uid || !isAt(now, from)) return "gone";
    return cluster.mark(now, () => rebootMarking(to));
  }, clock);
}
