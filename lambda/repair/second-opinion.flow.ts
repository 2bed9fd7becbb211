import { faultOf } from "../base/fault.ts";
import { later } from "../base/time.ts";
import { podTitle } from "../drain/pod.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import type { JudgedSurvey } from "./read-survey.flow.ts";
import type { IllInstance } from "./repair-plan.ts";
import { type RepairTools, subjectOf } from "./repair-tools.flow.ts";
import { arePodsUnwell, restartMarking, tryAgentOf } from "./second-opinion.ts";

/** Lets repairs begin without a second opinion where the pods of the node speak for its illness, or it runs no agent. */
export async function heardPods(judged: JudgedSurvey, tools: RepairTools): Promise<JudgedSurvey> {
  const { plan } = judged;
  const cases = await Promise.all(plan.cases.map((one) => heardPodsOf(one, tools)));
  return { ...judged, plan: { ...plan, cases } };
}

/** A fault here stops no other repair. This one waits until its pods are read. */
async function heardPodsOf(one: IllInstance, { policy, ports }: RepairTools): Promise<IllInstance> {
  const { verdict, node, target } = one;
  if (verdict.kind !== "asks" || node === "none") return one;
  try {
    const { pods } = await ports.cluster.pods(node.name);
    const isAsked = tryAgentOf(pods) !== undefined && !arePodsUnwell(pods);
    return isAsked ? one : { ...one, verdict: { kind: "repairs", step: verdict.step } };
  } catch (cause) {
    const { instance, group } = target;
    ports.journal.record({ ...faultEntry(faultOf(cause)), instance, group });
    const until = later(ports.clock.now(), policy.every);
    return { ...one, verdict: { kind: "waits", until } };
  }
}

/**
 * Restarts the agent of a node. It is written down first, so that of several passes one does it, and none twice. If the
 * restart fails, the repair begins all the same once the agent has had its time.
 */
export async function askAgent(one: IllInstance, tools: RepairTools): Promise<void> {
  const { cluster, clock, journal } = tools.ports;
  const { node, illness } = one;
  const agent = node === "none" ? undefined : tryAgentOf((await cluster.pods(node.name)).pods);
  if (node === "none" || agent === undefined) return;
  if ((await cluster.mark(node, () => restartMarking(illness, clock.now()))) !== "marked") return;
  const { kind, ...answer } = await cluster.remove(agent, agent.grace);
  if (kind !== "accepted" && kind !== "gone") {
    const said = "message" in answer ? `: ${answer.message}` : "";
    const warnings = [`${podTitle(agent)} does not restart (${kind}${said})`];
    return journal.record({ kind: "warning", about: "a second opinion", warnings });
  }
  const subject = { ...subjectOf(one), node: node.name };
  journal.record({ kind: "repair-agent-restarted", ...subject, pod: podTitle(agent) });
}
