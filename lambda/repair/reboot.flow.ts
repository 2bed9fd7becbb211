import { faultOf } from "../base/fault.ts";
import { type Duration, later, milliseconds, seconds } from "../base/time.ts";
import type { NodeWrite } from "../drain/drain.port.ts";
import type { DrainOutcome, DrainPass } from "../drain/drain-outcome.ts";
import { drainUnasked } from "../drain/drain-unasked.flow.ts";
import type { MachineNode } from "../drain/node.ts";
import { overOthers } from "../drain/over-others.flow.ts";
import { rebootIsOver, rebootWait } from "./due-repair.ts";
import type { RepairPorts } from "./repair.port.ts";
import {
  drainingMark,
  isAt,
  type RebootMark,
  rebootingMarking,
  rebootMarking,
  tryRebootMark,
} from "./repair-marks.ts";
import { ill } from "./repair-reason.ts";
import type { RepairRecord } from "./repair-record.ts";
import {
  type DueCase,
  noteRepair,
  type RepairTools,
  subjectOf,
  tellBegun,
  writeRecord,
} from "./repair-tools.flow.ts";

const soon = seconds(5);
/** The delay before the next pass checks whether a machine is back. */
export const beforeNextLook = seconds(30);

/** Marks an ill node, drains it, and reboots its machine. Returns when to look again. */
export async function reboot(
  one: DueCase,
  record: RepairRecord,
  tools: RepairTools,
): Promise<Duration> {
  const { node } = one;
  if (node === "none") return soon;
  await writeRecord(one, record, tools);
  if ((await markReboot(one, node, tools)) !== "marked") {
    noteRepair(one, "stalls", tools);
    return soon;
  }
  const pass = await tools.reportsDrain(node.instance, (journal) => drain(one, tools, journal));
  if ("outcome" in pass) return afterDrain(pass.outcome, one, node, tools);
  if (tools.ports.clock.now() >= rebootIsOver(record, one.mark)) noteRepair(one, "stalls", tools);
  return "wait" in pass ? pass.wait : soon;
}

/** Marks the node, unless it has the mark of its reboot. */
async function markReboot(one: DueCase, node: MachineNode, tools: RepairTools): Promise<NodeWrite> {
  if (tryRebootMark(node) !== undefined) return "marked";
  const written = await tools.ports.cluster.mark(node, () => rebootingMarking(node, one.mark));
  if (written === "marked") tellBegun(one, tools);
  return written;
}

/** Reboots the machine of a drained node. */
async function afterDrain(
  outcome: DrainOutcome,
  one: DueCase,
  node: MachineNode,
  tools: RepairTools,
): Promise<Duration> {
  const isAsked = hasMachine(outcome) && (await restartMachine(one, node, tools)) === "asked";
  noteRepair(one, isAsked ? "goes on" : "stalls", tools);
  return beforeNextLook;
}

const hasMachine = ({ kind }: DrainOutcome): boolean =>
  kind !== "no-node" && kind !== "instance-ended";

function drain(
  { target, tags, mark: { begun, timeout } }: DueCase,
  { policy, ports, passEnds, receives }: RepairTools,
  journal: RepairPorts["journal"],
): Promise<DrainPass> {
  const { settings } = policy.drain.settingsFor(tags);
  const { instance } = target;
  // Nobody would register the instance again after its reboot.
  const own = { ...settings, timeout, deregister: "never" } as const;
  const order = { instance, settings: own, receives, passEnds, reason: ill.reason };
  return drainUnasked(order, begun, { ...ports, journal });
}

/**
 * Writes the stage of the reboot onto the node, then calls EC2. Only one of several passes can write it, and only that
 * one calls. If the function stops in between, the boot ID stays the same, and another pass calls after ten minutes.
 */
async function restartMachine(
  one: DueCase,
  node: MachineNode,
  tools: RepairTools,
): Promise<"asked" | "unmarked"> {
  const { clock, machines, journal } = tools.ports;
  const before = tryRebootMark(node) ?? drainingMark(node, one.mark);
  const stage = before.stage === "draining" ? "asking" : "rebooting";
  const asked: RebootMark = { ...before, stage, at: clock.now() };
  if ((await moveOn(node, { from: before, to: asked }, tools.ports)) !== "marked")
    return "unmarked";
  try {
    await machines.reboot(node.instance);
  } catch (cause) {
    // EC2 did not reboot the machine, so nothing waits for it, and it is not replaced for that.
    if (faultOf(cause).code === "aws.denied")
      await moveOn(node, { from: asked, to: untold(asked) }, tools.ports);
    throw cause;
  }
  journal.record({ kind: "repair-rebooted", ...subjectOf(one) });
  if (stage === "asking")
    await moveOn(node, { from: asked, to: { ...asked, stage: "rebooting" } }, tools.ports);
  return "asked";
}

/** The mark after EC2 has denied the reboot: backdated by ten minutes, so that the next pass calls EC2 again. */
const untold = (mark: RebootMark): RebootMark => ({
  ...mark,
  stage: "asking",
  at: later(mark.at, milliseconds(-rebootWait)),
});

/** Writes the next stage of a reboot onto the node; `gone` if the node or its mark is no longer the same. */
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
