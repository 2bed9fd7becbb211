import { answeredBy } from "../base/answered-by.ts";
import { type Fault, faultOf } from "../base/fault.ts";
import { type Duration, later, longest, milliseconds, seconds, shortest } from "../base/time.ts";
import type { NodeWrite } from "../drain/drain.port.ts";
import type { DrainEntry } from "../drain/drain-entry.ts";
import { namesOf } from "../group/ec2-instance.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import type { Pass } from "../notice/outcome.ts";
import type { QueueWork } from "../notice/queue-work.flow.ts";
import type { ReportEntry } from "../report/report-entry.ts";
import type { ReportPolicy } from "../report/report-tools.flow.ts";
import { Reports } from "../report/reports.flow.ts";
import { readSurvey } from "./read-survey.flow.ts";
import { beforeNextLook, reboot } from "./reboot.flow.ts";
import type { RepairPorts } from "./repair.port.ts";
import type { RepairEnd, RepairEntry, RepairMessage } from "./repair-entry.ts";
import { repairEvents } from "./repair-events.ts";
import { repairFigures } from "./repair-figures.ts";
import { illMarking, isMarkedUntil } from "./repair-marks.ts";
import type { IllInstance, RepairStep, RepairVerdict } from "./repair-plan.ts";
import type { RepairRecord } from "./repair-record.ts";
import {
  type DueCase,
  dueCase,
  noteRepair,
  type RepairTools,
  type RepairWorkPolicy,
  tellBegun,
  writeRecord,
} from "./repair-tools.flow.ts";
import { askAgent, heardPods } from "./second-opinion.flow.ts";
import { StalledRepairs } from "./stalled-repairs.ts";
import { heldByTargets } from "./target-brakes.flow.ts";
import { tellPlan } from "./tell-plan.flow.ts";
import { keepUp } from "./upkeep.flow.ts";

const soon = seconds(5);
// A share of a pass.
const upkeepTakes = seconds(20);
const nothing: RepairEnd = { begun: 0, held: 0, waiting: 0 };

/**
 * Surveys all managed groups, and does what is due. While a reboot is under way, the message comes back soon, but not later
 * than the next message of the schedule. A message that is older than that does nothing.
 */
async function repairPass(tools: RepairTools): Promise<Pass<RepairEnd>> {
  if (tools.receives === 1 && isOld(tools, milliseconds(0))) {
    const warnings = ["it is older than the next message of the schedule, so nothing is looked at"];
    tools.ports.journal.record({ kind: "warning", about: "the message", warnings });
    return { kind: "done", outcome: nothing };
  }
  const { lastTries } = tools.stalled;
  const read = await readSurvey({ ...tools, lastTries });
  const judged = await heldByTargets(await heardPods(read, tools), tools);
  tellPlan(judged, tools.ports.journal);
  const { clock } = tools.ports;
  await answeredBy(later(clock.now(), upkeepTakes), keepUp(judged.plan, tools), clock);
  const { cases } = judged.plan;
  const rests = await Promise.all(cases.map((one) => step(one, tools)));
  const [first, ...others] = rests.filter((rest) => rest !== "none");
  const outcome = endOf(cases);
  if (first === undefined) return { kind: "done", outcome };
  const wait = shortest(first, ...others);
  return isOld(tools, wait) ? { kind: "done", outcome } : { kind: "again", wait };
}

/** Whether the next message of the schedule arrives before this wait ends. */
function isOld(
  {
    message: { sent },
    policy,
    ports,
  }: Pick<RepairTools, "message"> & {
    readonly policy: Pick<RepairTools["policy"], "every">;
    readonly ports: Pick<RepairPorts, "clock">;
  },
  wait: Duration,
): boolean {
  return sent !== "unsaid" && later(ports.clock.now(), wait) >= later(sent, policy.every);
}

/**
 * Does what is due for an instance, and returns when to look again: the longer it has been tried in vain, the later. A fault here
 * does not stop other repairs.
 */
async function step(one: IllInstance, tools: RepairTools): Promise<Duration | "none"> {
  const asked = await stepNow(one, tools);
  return asked === "none" ? asked : longest(asked, tools.stalled.stalledFor(one.target.instance));
}

async function stepNow(one: IllInstance, tools: RepairTools): Promise<Duration | "none"> {
  const { verdict } = one;
  if (verdict.kind === "rebooting") return verdict.watched === "closely" ? beforeNextLook : "none";
  if (verdict.kind !== "repairs" && verdict.kind !== "asks") return "none";
  try {
    if (verdict.kind === "asks") return await ask(one, tools);
    return await take(one, verdict.step, tools);
  } catch (cause) {
    return failed(one, faultOf(cause), tools);
  }
}

function failed(one: IllInstance, fault: Fault, tools: RepairTools): Duration | "none" {
  const { instance, group } = one.target;
  tools.ports.journal.record({ ...faultEntry(fault), instance, group });
  const isAws = fault.code.startsWith("aws.");
  // What AWS refuses has nothing to do with the node, and no other one is marked meanwhile.
  if (!isAws) noteRepair(one, "stalls", tools);
  // Somebody may have used up the tags of the group, for as long as they like: the schedule looks often enough.
  if (isAws && !fault.retryable) return "none";
  return shortest(beforeNextLook, milliseconds(fault.retryWithin));
}

/** Asks for a second opinion. A node that takes off what says so is asked again and again, which is no repair. */
async function ask(one: IllInstance, tools: RepairTools): Promise<"none"> {
  await askAgent(one, tools);
  noteRepair(one, "stalls", tools);
  return "none";
}

async function take(
  one: IllInstance,
  { record, ...due }: RepairStep,
  tools: RepairTools,
): Promise<Duration | "none"> {
  if (due.kind === "reboot") return reboot(dueCase(one, due.begun, tools), record, tools);
  const found = dueCase(one, tools.ports.clock.now(), tools);
  const answer = await replace(found, record, tools);
  noteRepair(one, answer === "marked" ? "goes on" : "stalls", tools);
  return answer === "changed" ? soon : "none";
}

const endOf = (cases: readonly IllInstance[]): RepairEnd => {
  const count = (kind: RepairVerdict["kind"]) =>
    cases.filter(({ verdict }) => verdict.kind === kind).length;
  return { begun: count("repairs"), held: count("held"), waiting: count("waits") };
};

/**
 * Marks the node of an ill instance, records the repair, and tells the group to replace the instance. Every part can be
 * repeated. If the node has changed since it was judged, it is left to the next pass: `changed`.
 */
async function replace(one: DueCase, record: RepairRecord, tools: RepairTools): Promise<NodeWrite> {
  const written = await markIll(one, tools);
  if (written !== "marked") return written;
  await writeRecord(one, record, tools);
  if (!(await isAsJudged(one, tools))) return "changed";
  if ((await tools.ports.groups.giveUp(one.target.instance)) === "gone") return "gone";
  tellBegun(one, tools);
  return "marked";
}

/** Marks the node; an instance without one has nothing to mark. */
async function markIll({ node, mark }: DueCase, { ports }: RepairTools): Promise<NodeWrite> {
  if (node === "none" || isMarkedUntil(node, mark.now)) return "marked";
  return ports.cluster.mark(node, () => illMarking(node, mark));
}

/**
 * Whether the node is still as it was judged. The instance may have registered in the meantime, also by its name alone, and
 * its node may be replaced or ready.
 */
async function isAsJudged({ node, target }: DueCase, { ports }: RepairTools): Promise<boolean> {
  const { cluster, instances } = ports;
  if (node !== "none") {
    const now = await cluster.node(node.name);
    return now !== "absent" && now.uid === node.uid && now.readiness === node.readiness;
  }
  const names = namesOf(await instances.describe(target.instance));
  const named = await Promise.all(names.map((name) => cluster.node(name)));
  const isNamed = named.some((one) => one !== "absent");
  return !isNamed && (await cluster.findNode(target.instance, [])) === "absent";
}

// Enough for eight minutes of consecutive faults. The schedule sends other messages.
const mostReceives = 8;

const rows = { events: repairEvents, figures: repairFigures };
const work = { kind: "group", reason: "repair", nodes: "one" } as const;

/** The work on the messages of the schedule. */
export function repairWork(
  policy: ReportPolicy & RepairWorkPolicy,
  ports: RepairPorts,
): QueueWork<RepairMessage, RepairEnd, DrainEntry | RepairEntry | ReportEntry> {
  const reports = new Reports({ ...policy, ...ports, rows: async () => rows });
  const stalled = new StalledRepairs();
  return {
    pass: policy.drain.pass,
    // While a reboot is watched, a message is received often.
    isTriedEnough: ({ content: message, receives }) =>
      receives >= mostReceives &&
      (message.sent === "unsaid" || isOld({ message, policy, ports }, milliseconds(0))),
    run: ({ content: message, receives }, pass, journal) => {
      const begun = ports.clock.now();
      const passEnds = later(begun, pass);
      const reported = { notice: work, receives, journal, begun };
      return reports.hear({ ...reported, instance: "" }, async (heard, tell) => {
        const done = await repairPass({
          message,
          receives,
          policy,
          passEnds,
          stalled,
          ports: { ...ports, groupNodes: ports.groupNodes.reader(), journal: heard },
          reportsDrain: (instance, drain) => reports.hear({ ...reported, instance }, drain),
        });
        if ("outcome" in done) tell({ kind: "repair-ended", ...done.outcome });
        return done;
      });
    },
    subjectOf: () => ({}),
    startEntry: ({ receives }) => ({ kind: "repair-started", receives }),
    endEntry: (_, end) => ({ kind: "repair-ended", ...end }),
    settled: () => reports.settled(),
  };
}
