import type { InstanceId } from "../base/ids.ts";
import { hours, later } from "../base/time.ts";
import { checkedAmong, membersOf } from "../group/target-loss.ts";
import { instanceLoss, podLoss, type TargetPorts } from "../group-work/target-watch.flow.ts";
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
    plan.cases.map((one) => (isAsked(one) ? brakedByTargets(one, survey, ports) : one)),
  );
  return { survey, plan: { ...plan, cases } };
}

/** Adds the brake of target groups to a repair that has not begun. */
async function brakedByTargets(
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

// Pods that come all the time, or instances that somebody registers again and again, must not keep an ill node for ever.
const heldFor = hours(1);
// Nodes that have just become ready are waited for longer, as the replacements of other ill nodes are.
const longestHold = hours(24);

async function awaitedTargets(
  { target, node, due }: IllInstance,
  survey: Survey,
  ports: TargetPorts,
): Promise<readonly string[]> {
  const leaving = [
    { instance: target.instance, node: node === "none" ? node : node.name },
  ] as const;
  const { groups, nodes, now } = survey;
  if (later(due, longestHold) <= now) return [];
  const found = groups.find(({ scalingGroup }) => scalingGroup.name === target.group);
  const members = membersOf(found?.scalingGroup, nodes, now);
  const isLate = later(due, heldFor) <= now;
  const checked = isLate ? checkedAmong(members.own, nodes, now) : new Set<InstanceId>();
  const loss = await instanceLoss(leaving, { ...members, checked }, ports);
  if (loss.kind === "avoidable") return loss.reasons;
  if (isLate) return [];
  const ofPods = await podLoss(leaving, members, ports);
  return ofPods.kind === "avoidable" ? ofPods.reasons : [];
}
