import type { InstanceId } from "../base/ids.ts";
import { type Instant, later, latest } from "../base/time.ts";
import {
  firstChecks,
  type Leavers,
  registersWithin,
  type TargetLoss,
} from "../group/target-loss.ts";
import { instanceLoss, type Leaver, podLoss, targetLoss } from "../group-work/target-watch.flow.ts";
import { type Candidate, serves } from "./old-instances.ts";
import type { NodeTurn, UpgradeScene } from "./scene.ts";
import { isInService, sorted } from "./sorted-instances.ts";
import type { UpgradeTools } from "./upgrade-tools.flow.ts";

/** The instance that an upgrade ends, or what it waits for first. */
type Choice =
  | { readonly kind: "instance"; readonly instance: InstanceId }
  | { readonly kind: "held"; readonly reasons: readonly string[] };

/** Why these turns must not begin yet: target groups would have fewer healthy targets, and others are about to be healthy. */
export async function heldTurns(
  turns: readonly NodeTurn[],
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<readonly string[]> {
  if (!isPatient(scene, tools)) return [];
  const leaving = turns.map(({ node }) => ({ instance: node.instance, node: node.name }));
  return reasonsIn(await targetLoss(leaving, membersIn(scene), tools.ports));
}

/**
 * Chooses the first candidate without which no target group has fewer healthy targets. If there is none, it waits for
 * targets that have not had their first health checks; if there are none of these either, the first candidate goes.
 */
export async function chooseToEnd(
  candidates: readonly [Candidate, ...Candidate[]],
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<Choice> {
  const { ports } = tools;
  const [first] = candidates;
  if (!isPatient(scene, tools)) return { kind: "instance", instance: first.instance.id };
  const members = membersIn(scene);
  const held: string[] = [];
  for (const one of candidates) {
    const loss = await instanceLoss([leaverOf(one)], members, ports);
    if (loss.kind === "none") return unlessPods(one, scene, tools);
    held.push(...reasonsIn(loss));
  }
  return held.length === 0
    ? unlessPods(first, scene, tools)
    : { kind: "held", reasons: [...new Set(held)] };
}

/** Chooses a candidate, unless its pods are targets that have to wait for others. */
async function unlessPods(
  candidate: Candidate,
  scene: UpgradeScene,
  { ports }: UpgradeTools,
): Promise<Choice> {
  const loss = await podLoss([leaverOf(candidate)], membersIn(scene), ports);
  const reasons = reasonsIn(loss);
  return reasons.length > 0
    ? { kind: "held", reasons }
    : { kind: "instance", instance: candidate.instance.id };
}

const reasonsIn = (loss: TargetLoss): readonly string[] =>
  loss.kind === "avoidable" || loss.kind === "unread" ? loss.reasons : [];

const leaverOf = ({ instance, node }: Candidate): Leaver => ({
  instance: instance.id,
  node: node === "absent" ? "none" : node.name,
});

/** Whether targets are waited for: not without end, and not in a group whose drains ask no load balancer. */
const isPatient = ({ now, bookmark, group }: UpgradeScene, { policy }: UpgradeTools): boolean =>
  policy.drain.settingsFor(group.tags).settings.targetTimeout > 0 &&
  now < later(bookmark.since, firstChecks);

function membersIn(scene: UpgradeScene): Omit<Leavers, "ids"> {
  const { old, fresh } = sorted(scene);
  const members = [...old, ...fresh].filter(isInService);
  const coming = members.filter((one) => serves(one) && scene.now < registeredBy(one, scene));
  return {
    own: new Set(members.map(({ instance }) => instance.id)),
    coming: new Set(coming.map(({ instance }) => instance.id)),
    enough: scene.bookmark.before.sizes.desired,
  };
}

/** A node is registered some time after it has become ready, or after the upgrade has taken its mark off it. */
const registeredBy = ({ node }: Candidate, { bookmark: { since } }: UpgradeScene): Instant =>
  later(node === "absent" ? since : latest(node.readinessSince, since), registersWithin);
