import { faultOf } from "../base/fault.ts";
import { type Duration, later, milliseconds, seconds, shortest } from "../base/time.ts";
import { faultEntry } from "../notice/fault-entry.flow.ts";
import type { Pass } from "../notice/outcome.ts";
import { groupCase } from "./group-case.flow.ts";
import { putInOrder } from "./put-in-order.flow.ts";
import { readSurvey } from "./read-survey.flow.ts";
import { beforeNextLook, reboot } from "./reboot.flow.ts";
import type { RepairEnd } from "./repair-entry.ts";
import type { Case, Verdict } from "./repair-plan.ts";
import type { RepairTools } from "./repair-tools.flow.ts";
import { replace } from "./replace.flow.ts";
import type { Survey } from "./survey.ts";
import { tellPlan } from "./tell-plan.flow.ts";

const soon = seconds(5);
const nothing: RepairEnd = { begun: 0, held: 0, waiting: 0 };

/**
 * One look at all managed groups, and what is due is done. The message comes back soon while a reboot is under way, but no
 * later than the next message of the schedule. A message that lay in the queue until then asks for nothing.
 */
export async function repairPass(tools: RepairTools): Promise<Pass<RepairEnd>> {
  if (tools.receives === 1 && isOld(tools, milliseconds(0))) {
    const warnings = ["it is older than the next message of the schedule, so nothing is looked at"];
    tools.ports.journal.record({ kind: "warning", about: "the message", warnings });
    return { kind: "done", outcome: nothing };
  }
  const judged = await readSurvey(tools);
  tellPlan(judged, tools.ports.journal);
  await putInOrder(judged.plan, tools);
  const { cases } = judged.plan;
  const rests = await Promise.all(cases.map((one) => step(one, judged.survey, tools)));
  const [first, ...others] = rests.filter((rest) => rest !== "none");
  const outcome = endOf(cases);
  if (first === undefined) return { kind: "done", outcome };
  const wait = shortest(first, ...others);
  return isOld(tools, wait) ? { kind: "done", outcome } : { kind: "again", wait };
}

/** Whether the next message of the schedule comes before such a wait is over. */
function isOld({ message: { sent }, policy, ports }: RepairTools, wait: Duration): boolean {
  return sent !== "unsaid" && later(ports.clock.now(), wait) >= later(sent, policy.every);
}

/** Does what is due for an instance, and says when to look again. A fault here stops no other repair. */
async function step(one: Case, survey: Survey, tools: RepairTools): Promise<Duration | "none"> {
  const { verdict } = one;
  if (verdict.kind === "rebooting") return beforeNextLook;
  if (verdict.kind !== "repairs") return "none";
  try {
    return await take(one, verdict, { survey, tools });
  } catch (cause) {
    const fault = faultOf(cause);
    const { instance, group } = one.patient;
    tools.ports.journal.record({ ...faultEntry(fault), instance, group });
    return shortest(beforeNextLook, milliseconds(fault.retryWithin));
  }
}

async function take(
  one: Case,
  { step: { record, ...due } }: Extract<Verdict, { readonly kind: "repairs" }>,
  { survey, tools }: { readonly survey: Survey; readonly tools: RepairTools },
): Promise<Duration | "none"> {
  const begun = due.kind === "reboot" ? due.begun : tools.ports.clock.now();
  const [found] = groupCase(one, begun, { survey, tools });
  if (found === undefined) return "none";
  if (due.kind === "reboot") return reboot(found, record, tools);
  return (await replace(found, record, tools)) === "changed" ? soon : "none";
}

const endOf = (cases: readonly Case[]): RepairEnd => {
  const count = (kind: Verdict["kind"]) =>
    cases.filter(({ verdict }) => verdict.kind === kind).length;
  return { begun: count("repairs"), held: count("held"), waiting: count("waits") };
};
