import { type Instant, instant } from "../base/time.ts";
import type { Node } from "../drain/node.ts";
import { overOthers } from "../drain/over-others.flow.ts";
import { removeMark } from "../drain/undo-mark.flow.ts";
import { type Ec2Instance, isThere, mayBeInterrupted, namesOf } from "../group/ec2-instance.ts";
import { tryOwnTime } from "../notice/begun-at.ts";
import { contended, done, ignored } from "../notice/outcome.ts";
import { isWarm } from "./event-admission.ts";
import type { AtRisk } from "./event-notice.ts";
import type { EventPass } from "./event-outcome.ts";
import {
  type AdmittedInstance,
  type EventRequest,
  eventPass,
  uninterrupted,
} from "./event-pass.flow.ts";
import type { InterruptionPorts } from "./interruption.port.ts";
import type { InterruptionPolicy } from "./interruption-policy.ts";
import { keepOf, markAtRisk, type Risk, unheeded, waitUntil } from "./mark-at-risk.flow.ts";
import { type RiskStep, riskStep } from "./risk.ts";

/**
 * Cordons or drains the node of an instance at risk, as its group wants it.
 *
 * The notice comes back to undo that, unless another one has come for the node: EC2 may never interrupt the instance.
 */
export const onRisk = (
  request: EventRequest<AtRisk>,
  policy: InterruptionPolicy,
  ports: InterruptionPorts,
): Promise<EventPass> =>
  eventPass(request, policy, {
    ports,
    goOn: async (found) => {
      return tryIgnore(request, found) ?? handled({ request, found, policy, ports });
    },
  });

function tryIgnore(
  { notice, receives }: EventRequest<AtRisk>,
  found: AdmittedInstance,
): EventPass | undefined {
  const { state, settings, drain } = found;
  // A node that was cordoned before the setting changed is still opened again.
  if (settings.rebalance === "nothing" && receives === 1) return ignored(unheeded);
  const isIn = `instance ${notice.instance} is ${state}`;
  if (isWarm(state)) return ignored(isIn, "in warm pool");
  if (state.startsWith("Terminating")) return ignored(isIn);
  return drain.mode === "dry-run" ? ignored("a dry run marks no node", "dry run") : undefined;
}

/** Reads the node and does what is needed. Repeats that while others write the node in between. */
async function handled(risk: Risk): Promise<EventPass> {
  const { cluster, instances, clock } = risk.ports;
  const { notice, receives } = risk.request;
  const { instance } = notice;
  const ec2Instance = await instances.describe(instance);
  // A node that an earlier pass has cordoned is still opened again.
  if (receives === 1 && !mayBeInterrupted(ec2Instance, "spot"))
    return uninterrupted(instance, "spot");
  const pass = await overOthers(async () => {
    const node = await cluster.findNode(instance, namesOf(ec2Instance));
    if (node === "absent") return done({ kind: "no-node" });
    const step = stepFor(node, ec2Instance, risk);
    // The count of receives is the sender's word, and an earlier pass may not have come to the question.
    const isUntrue = step.kind === "mark" && !mayBeInterrupted(ec2Instance, "spot");
    return isUntrue ? uninterrupted(instance, "spot") : act(step, node, risk);
  }, clock);
  return pass === "changed" ? contended(receives) : pass;
}

function stepFor(node: Node, ec2Instance: Ec2Instance | "unknown", risk: Risk): RiskStep {
  const { found, ports } = risk;
  const now = ports.clock.now();
  const instance =
    isThere(ec2Instance) && found.state === "InService" ? "in service" : "not in service";
  const since = sinceOf(risk.request, now);
  return riskStep({ node, since, keep: keepOf(found), instance, now, reasons: ports.reasons });
}

/** When EC2 gave its advice. That of a saved event counts from its first receive, and has left its trace by the second. */
const sinceOf = ({ notice, receives }: EventRequest<AtRisk>, now: Instant): Instant =>
  tryOwnTime(notice, now) ?? (receives === 1 ? now : instant(0));

async function act(step: RiskStep, node: Node, risk: Risk): Promise<EventPass | "changed"> {
  const isFirst = risk.request.receives === 1;
  switch (step.kind) {
    case "leave":
      return isFirst ? ignored(step.reason) : { kind: "over" };
    case "undo":
      return undone(node, risk);
    case "doubt":
      return { kind: "again", wait: waitUntil(step.until, risk) };
    case "wait":
    case "mark":
      return markAtRisk(step, node, risk);
  }
}

async function undone(node: Node, { found, ports }: Risk): Promise<EventPass | "changed"> {
  const answer = await removeMark(node, found.drain.taints, ports);
  return answer === "changed" ? "changed" : { kind: "over" };
}
