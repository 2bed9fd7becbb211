import type { DrainSettings } from "../../domain/drain/drain-policy.ts";
import { type Ec2Instance, namesOf } from "../../domain/node/ec2-instance.ts";
import { tryUnmarking } from "../../domain/node/marking.ts";
import type { Node } from "../../domain/node/node.ts";
import { cordonFor, type RiskStep, riskStep } from "../../domain/node/risk.ts";
import { tryOwnTime } from "../../domain/notice/begun-at.ts";
import type { DrainLengths } from "../../domain/notice/drain-bounds.ts";
import { isWarm } from "../../domain/notice/event-admission.ts";
import type { InterruptionPolicy } from "../../domain/notice/interruption-policy.ts";
import type { AtRisk } from "../../domain/notice/notice.ts";
import { done, ignored, type Outcome, type Pass } from "../../domain/notice/outcome.ts";
import {
  between,
  type Duration,
  type Instant,
  instant,
  later,
  longest,
  milliseconds,
  minutes,
  seconds,
  timestamp,
} from "../../domain/time.ts";
import type { Ports } from "../../ports/ports.ts";
import { overOthers } from "../mark/over-others.ts";
import { drainEvent, eventPass, type GroupInstance } from "./event-pass.ts";

/** A recommendation to rebalance, and how often its notice has been received. */
export interface RiskRequest {
  readonly notice: AtRisk;
  readonly receives: number;
}

/**
 * Cordons or drains the node of an instance at risk, as its group wants it.
 *
 * The notice comes back to undo that, unless another one has come for the node: EC2 may never interrupt the instance.
 */
export const onRisk = (
  request: RiskRequest,
  policy: InterruptionPolicy,
  ports: Ports,
): Promise<Pass> =>
  eventPass(request, policy, {
    ports,
    goOn: async (found) => {
      const reason = whyNothing(request, found);
      return reason === undefined ? handled({ request, found, policy, ports }) : ignored(reason);
    },
  });

function whyNothing({ notice }: RiskRequest, found: GroupInstance): string | undefined {
  const { state, settings, drain } = found;
  if (settings.rebalance === "nothing") return "recommendations to rebalance are not heeded here";
  if (isWarm(state) || state.startsWith("Terminating"))
    return `instance ${notice.instance} is ${state}`;
  return drain.mode === "dry-run" ? "a dry run marks no node" : undefined;
}

interface Risk {
  readonly request: RiskRequest;
  readonly found: GroupInstance;
  readonly policy: InterruptionPolicy;
  readonly ports: Ports;
}

const soon = seconds(5);

/** Looks at the node and does what it needs, anew as long as others write it in between. */
async function handled(risk: Risk): Promise<Pass> {
  const { cluster, instances, clock } = risk.ports;
  const { instance } = risk.request.notice;
  const ec2Instance = await instances.describe(instance);
  const pass = await overOthers(async () => {
    const node = await cluster.findNode(instance, namesOf(ec2Instance));
    return node === "absent"
      ? done({ kind: "no-node" })
      : act(stepFor(node, ec2Instance, risk), node, risk);
  }, clock);
  return pass === "changed" ? { kind: "again", wait: soon } : pass;
}

/** How long the node keeps its mark: a drain has all of its time in any case. */
const keepOf = ({ settings, drain }: GroupInstance): Duration =>
  settings.rebalance === "drain" ? longest(settings.cordonFor, drain.timeout) : settings.cordonFor;

function stepFor(node: Node, ec2Instance: Ec2Instance | "unknown", risk: Risk): RiskStep {
  const { found, ports } = risk;
  const now = ports.clock.now();
  const runs = ec2Instance !== "unknown" && ec2Instance.life === "there";
  const instance = runs && found.state === "InService" ? "in service" : "not in service";
  return riskStep({ node, since: sinceOf(risk.request, now), keep: keepOf(found), instance, now });
}

/** When EC2 gave its advice. That of a saved event counts from its first receive, and has left its trace by the second. */
const sinceOf = ({ notice, receives }: RiskRequest, now: Instant): Instant =>
  tryOwnTime(notice, now) ?? (receives === 1 ? now : instant(0));

async function act(step: RiskStep, node: Node, risk: Risk): Promise<Pass | "changed"> {
  const isFirst = risk.request.receives === 1;
  switch (step.kind) {
    case "leave":
      return isFirst ? ignored(step.reason) : { kind: "over" };
    case "undo":
      return undone(node, risk);
    case "doubt":
      return { kind: "again", wait: between(risk.ports.clock.now(), step.until) };
    case "wait":
    case "mark":
      return risk.found.settings.rebalance === "drain" ? drained(risk) : cordon(step, node, risk);
  }
}

const cordoned = ({ name }: Node, wait: Duration): Pass => ({
  kind: "comes-back",
  outcome: { kind: "cordoned", node: name },
  wait,
});

async function cordon(
  step: Extract<RiskStep, { readonly kind: "mark" | "wait" }>,
  node: Node,
  { request, found, ports }: Risk,
): Promise<Pass | "changed"> {
  const { cluster, clock, journal } = ports;
  const now = clock.now();
  if (step.kind === "wait") {
    const wait = between(now, step.until);
    return request.receives === 1 ? cordoned(node, wait) : { kind: "again", wait };
  }
  const answer = await cluster.mark(node, () => cordonFor(node, now));
  if (answer === "changed") return "changed";
  if (answer === "gone") return done({ kind: "no-node" });
  const wait = keepOf(found);
  journal.record({ kind: "node-cordoned", node: node.name, until: timestamp(later(now, wait)) });
  return cordoned(node, wait);
}

async function undone(node: Node, { found, ports }: Risk): Promise<Pass | "changed"> {
  const { cluster, journal } = ports;
  const unmarking = tryUnmarking(node, found.drain.taints);
  if (unmarking === undefined) return { kind: "over" };
  const answer = await cluster.unmark(node, unmarking);
  if (answer === "changed") return "changed";
  if (answer === "marked") journal.record({ kind: "mark-undone", node: node.name });
  return { kind: "over" };
}

/** Drains the node without force, for nobody takes the instance away yet; the drained node comes back like a cordoned one. */
async function drained({ request, found, policy, ports }: Risk): Promise<Pass> {
  const { drain } = found;
  const settings: DrainSettings = { ...drain, force: "never" };
  const lengths = riskLengths(drain);
  const pass = await drainEvent(request, { reason: "at-risk", settings, lengths, policy }, ports);
  return pass.kind === "done" && parted.includes(pass.outcome.kind)
    ? { kind: "comes-back", outcome: pass.outcome, wait: keepOf(found) }
    : pass;
}

const parted: readonly Outcome["kind"][] = ["drained", "expired"];

const riskLengths = ({ timeout, volumeTimeout }: DrainSettings): DrainLengths => ({
  toDeadline: timeout,
  toHeldUntil: milliseconds(timeout + volumeTimeout),
  longestRest: minutes(3),
});
