import type { DrainSettings } from "../../domain/drain/drain-policy.ts";
import { boundsFrom } from "../../domain/notice/drain-bounds.ts";
import type { Outcome, Pass } from "../../domain/notice/outcome.ts";
import {
  rebootingMarking,
  rebootMarking,
  tryRebootMark,
} from "../../domain/repair/repair-marks.ts";
import { causeText, type RepairRecord } from "../../domain/repair/repair-record.ts";
import type { SurveyNode } from "../../domain/repair/survey.ts";
import { type Duration, milliseconds, minutes, seconds } from "../../domain/time.ts";
import type { Journal } from "../../ports/journal.ts";
import { drainInstance } from "../drain/drain-instance.ts";
import { overOthers } from "../mark/over-others.ts";
import { type GroupCase, subjectOf, tellBegun, writeRecord } from "./group-case.ts";
import type { RepairTools } from "./repair-tools.ts";

const soon = seconds(5);
/** How soon somebody looks whether a machine is back. */
export const beforeNextLook = seconds(30);
const longestRest = minutes(1);

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
  { ill: { patient }, fleet, mark: { begun, timeout } }: GroupCase,
  { policy, ports, passEnds, receives }: RepairTools,
  journal: Journal,
): Promise<Pass> {
  const { settings: own } = policy.drain.settingsFor(fleet.tags);
  const settings: DrainSettings = { ...own, timeout, mode: "evict" };
  const toHeldUntil = milliseconds(timeout + settings.volumeTimeout);
  const bounds = boundsFrom(begun, { toDeadline: timeout, toHeldUntil, longestRest });
  const { instance } = patient;
  const how = { instance, settings, receives, passEnds, peers: [] };
  return drainInstance(
    { ...how, start: { kind: "known", bounds }, keeper: { kind: "none" }, reason: "ill" },
    { ...ports, journal: { record: (entry) => journal.record({ ...entry, instance }) } },
  );
}

/** The machine is rebooted first: a function that dies in between reboots it once more, while it is empty. */
async function startAnew(
  { ill }: GroupCase,
  node: SurveyNode,
  { ports: { cluster, clock, machines, journal } }: RepairTools,
): Promise<void> {
  const { bootId } = tryRebootMark(node) ?? node;
  if (bootId === node.bootId) await machines.reboot(node.instance);
  await overOthers(async () => {
    const now = await cluster.node(node.name);
    if (now === "absent" || now.uid !== node.uid || tryRebootMark(now)?.stage !== "draining")
      return "gone";
    return cluster.mark(now, () => rebootMarking({ stage: "rebooting", bootId, at: clock.now() }));
  }, clock);
  const cause = causeText(ill.illness);
  journal.record({ kind: "repair-rebooted", ...subjectOf(ill), cause });
}
