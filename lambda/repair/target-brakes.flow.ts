import { hours, later } from "../base/time.ts";
import { instanceLoss, podLoss, type TargetPorts } from "../drain/target-watch.flow.ts";
import { type Leavers, registersWithin } from "../group/target-loss.ts";
import type { JudgedSurvey } from "./read-survey.flow.ts";
import type { IllInstance } from "./repair-plan.ts";
import type { RepairTools } from "./repair-tools.flow.ts";
import type { Survey } from "./survey.ts";

/** Holds repairs while target groups would have fewer healthy targets, and others are about to be healthy. */
export async function heldByTargets(
  { survey, plan }: JudgedSurvey,
  { policy, ports }: Pick<RepairTools, "policy" | "ports">,
): Promise<JudgedSurvey> {
  const isAsked = ({ tags }: IllInstance) =>
    policy.drain.settingsFor(tags).settings.targetTimeout > 0;
  const cases = await Promise.all(
    plan.cases.map((one) => (isAsked(one) ? judgedAnew(one, survey, ports) : one)),
  );
  return { survey, plan: { ...plan, cases } };
}

async function judgedAnew(
  one: IllInstance,
  survey: Survey,
  ports: TargetPorts,
): Promise<IllInstance> {
  if (!begins(one, survey)) return one;
  const reasons = await awaitedTargets(one, survey, ports);
  if (reasons.length === 0) return one;
  return { ...one, verdict: { kind: "held", brakes: [{ kind: "targets", reasons }] } };
}

/** A reboot whose drain has begun goes on. */
const begins = ({ verdict }: IllInstance, { now }: Survey): boolean =>
  verdict.kind === "repairs" && (verdict.step.kind === "replace" || verdict.step.begun >= now);

// Pods that come all the time must not keep an ill node for ever.
const podsFor = hours(1);

async function awaitedTargets(
  { patient, node, due }: IllInstance,
  survey: Survey,
  ports: TargetPorts,
): Promise<readonly string[]> {
  const leaving = [
    { instance: patient.instance, node: node === "none" ? node : node.name },
  ] as const;
  const members = membersOf(patient, survey);
  const loss = await instanceLoss(leaving, members, ports);
  if (loss.kind === "avoidable") return loss.reasons;
  if (later(due, podsFor) <= survey.now) return [];
  const ofPods = await podLoss(leaving, members, ports);
  return ofPods.kind === "avoidable" ? ofPods.reasons : [];
}

function membersOf(
  { group }: Pick<IllInstance["patient"], "group">,
  { groups, nodes, now }: Survey,
): Omit<Leavers, "ids"> {
  const found = groups.map((one) => one.scalingGroup).find(({ name }) => name === group);
  const serving = (found?.instances ?? []).filter(({ state }) => state === "InService");
  const own = new Set(serving.map(({ id }) => id));
  const isComing = ({ readiness, readinessSince }: Survey["nodes"][number]) =>
    readiness === "ready" && now < later(readinessSince, registersWithin);
  const coming = nodes.filter(isComing).map(({ instance }) => instance);
  return {
    own,
    coming: new Set(coming.filter((instance) => own.has(instance))),
    enough: found?.sizes.desired ?? 0,
  };
}
