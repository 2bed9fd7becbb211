import {
  between,
  type Duration,
  type Instant,
  later,
  longest,
  minutes,
  seconds,
  timestamp,
} from "../base/time.ts";
import { unheldLengths } from "../drain/drain-bounds.ts";
import type { DrainSettings } from "../drain/drain-policy.ts";
import { drainedMarking, isDrainedSinceMark, markedAtAnnotation } from "../drain/marking.ts";
import type { Node } from "../drain/node.ts";
import { overOthers } from "../drain/over-others.flow.ts";
import { done, ignored, soonAgain } from "../notice/outcome.ts";
import type { AtRisk } from "./event-notice.ts";
import type { EventOutcome, EventPass } from "./event-outcome.ts";
import { type AdmittedInstance, drainEvent, type EventRequest } from "./event-pass.flow.ts";
import type { InterruptionPorts } from "./interruption.port.ts";
import type { InterruptionPolicy } from "./interruption-policy.ts";
import { cordonFor, type RiskStep } from "./risk.ts";

/** An instance at risk, and how its group wants it treated. */
export interface Risk {
  readonly request: EventRequest<AtRisk>;
  readonly found: AdmittedInstance;
  readonly policy: InterruptionPolicy;
  readonly ports: InterruptionPorts;
}

/** Why nothing is done where a group wants nothing done. */
export const unheeded = "recommendations to rebalance are not heeded here";

/** The time for which the node keeps its mark: all of the drain's time, at least. */
export const keepOf = ({ settings, drain }: AdmittedInstance): Duration =>
  settings.rebalance === "drain" ? longest(settings.cordonFor, drain.timeout) : settings.cordonFor;

/**
 * The rest of a notice until some time. The queue counts in whole seconds, so less than one would
 * be no rest at all.
 */
export const waitUntil = (until: Instant, { ports: { clock } }: Risk): Duration =>
  longest(seconds(1), between(clock.now(), until));

type MarkStep = Extract<RiskStep, { readonly kind: "mark" | "wait" }>;

/** Cordons or drains a node at risk, or waits until the time of its mark is over. */
export async function markAtRisk(
  step: MarkStep,
  node: Node,
  risk: Risk,
): Promise<EventPass | "changed"> {
  switch (risk.found.settings.rebalance) {
    case "drain":
      return drainOnce(step, node, risk);
    case "cordon":
      return step.kind === "wait" ? waiting(step.until, node, risk) : cordon(node, risk);
    case "nothing":
      return step.kind === "wait" ? waiting(step.until, node, risk) : ignored(unheeded);
  }
}

const cordoned = ({ name }: Node, wait: Duration): EventPass => ({
  kind: "comes-back",
  outcome: { kind: "cordoned", node: name },
  wait,
});

function waiting(until: Instant, node: Node, risk: Risk): EventPass {
  const wait = waitUntil(until, risk);
  return risk.request.receives === 1 ? cordoned(node, wait) : { kind: "again", wait };
}

async function cordon(node: Node, { found, ports }: Risk): Promise<EventPass | "changed"> {
  const { cluster, clock, journal } = ports;
  const now = clock.now();
  const answer = await cluster.mark(node, () => cordonFor(node, now));
  if (answer === "changed") return "changed";
  if (answer === "gone") return done({ kind: "no-node" });
  const wait = keepOf(found);
  journal.record({ kind: "node-cordoned", node: node.name, until: timestamp(later(now, wait)) });
  return cordoned(node, wait);
}

/** Drains the node, unless its drain has come to an outcome already: then the notice only waits to open it again. */
async function drainOnce(step: MarkStep, node: Node, risk: Risk): Promise<EventPass | "changed"> {
  if (step.kind === "wait" && isDrainedSinceMark(node)) return waiting(step.until, node, risk);
  if (step.kind === "mark" && (await renewMark(node, risk)) === "changed") return "changed";
  const pass = await drain(risk);
  if (pass.kind !== "done" || !drainEndings.includes(pass.outcome.kind)) return pass;
  const noted = await noteDrained(node, risk);
  return noted === "changed"
    ? soonAgain
    : { kind: "comes-back", outcome: pass.outcome, wait: keepOf(risk.found) };
}

/** Restarts the time of a mark from an earlier recommendation. */
const renewMark = async (node: Node, { ports: { cluster, clock } }: Risk) =>
  markedAtAnnotation in node.annotations
    ? cluster.mark(node, () => cordonFor(node, clock.now()))
    : "unmarked";

/** Records on the node that its drain is over, before the outcome is logged, so that it is logged once. */
function noteDrained({ name }: Node, { ports: { cluster, clock } }: Risk) {
  return overOthers(async () => {
    const node = await cluster.node(name);
    return node === "absent" ? "gone" : cluster.mark(node, () => drainedMarking(clock.now()));
  }, clock);
}

/**
 * Drains the node without force, because the instance does not end yet. The instance also stays in its load balancers,
 * because nothing would register it again once the node is uncordoned.
 */
function drain({ request, found, policy, ports }: Risk): Promise<EventPass> {
  const settings: DrainSettings = { ...found.drain, force: "never", deregister: "never" };
  const lengths = unheldLengths(found.drain, minutes(3));
  return drainEvent(request, { reason: "at-risk", settings, lengths, policy }, ports);
}

const drainEndings: readonly EventOutcome["kind"][] = ["drained", "expired"];
