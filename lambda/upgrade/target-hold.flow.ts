import type { InstanceId } from "../base/ids.ts";
import { type Duration, type Instant, later, latest } from "../base/time.ts";
import {
  firstChecks,
  type Leavers,
  registersWithin,
  type TargetLoss,
} from "../group/target-loss.ts";
import {
  idsOf,
  instanceTargets,
  type Leaver,
  lossIn,
  podLoss,
  type TargetsRead,
} from "../group-work/target-watch.flow.ts";
import { type Candidate, serves } from "./old-instances.ts";
import type { NodeAttempt, UpgradeScene } from "./scene.ts";
import { isInService, sorted } from "./sorted-instances.ts";
import { type ThinGroup, thinTargets } from "./thin-targets.ts";
import { bookmarkProgress, type UpgradeTools } from "./upgrade-tools.flow.ts";

/** A hold by target groups that keeps an upgrade from ending nodes. */
type Hold =
  | { readonly kind: "none" }
  | { readonly kind: "held"; readonly reasons: readonly string[] }
  /** It has noted target groups that it no longer waits for, and looks again. */
  | { readonly kind: "noted" };

/** The instance that an upgrade ends, or what it does first. */
type Choice =
  | { readonly kind: "instance"; readonly instance: InstanceId }
  | Exclude<Hold, { readonly kind: "none" }>;

/**
 * Holds these attempts while target groups would have too few healthy targets. Unhealthy targets hold an attempt no longer
 * than a drain waits for load balancers, because some become healthy only once pods move. Targets that wait for their
 * first health checks hold it until they have had them.
 */
export async function holdOf(
  attempts: readonly NodeAttempt[],
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<Hold> {
  if (!asksTargets(scene, tools)) return { kind: "none" };
  const { ports } = tools;
  const leaving = attempts.map(({ node }) => ({ instance: node.instance, node: node.name }));
  const members = membersIn(scene);
  const read = await instanceTargets(leaving, ports);
  const thin = thinIn(read, idsOf(leaving), scene, tools);
  if (thin.length > 0 && scene.now < later(scene.bookmark.since, timeoutIn(scene, tools)))
    return { kind: "held", reasons: thin.map(({ reason }) => reason) };
  const ofInstances = lossIn(read, { ...members, ids: idsOf(leaving) });
  const isHeld = reasonsIn(ofInstances).length > 0;
  const losses = isHeld ? [ofInstances] : [ofInstances, await podLoss(leaving, members, ports)];
  const hold = await holdBy(losses, scene, tools);
  if (hold.kind === "none") await countWaits(thin, scene, tools);
  return hold;
}

/** The target groups that have too few healthy targets, and have not been waited for long enough. */
function thinIn(
  read: TargetsRead,
  leaving: ReadonlySet<InstanceId>,
  scene: UpgradeScene,
  tools: UpgradeTools,
): readonly ThinGroup[] {
  const { before, options, unawaited, unhealthy } = scene.bookmark;
  if (read.kind !== "found" || options.strategy === "MINIMAL") return [];
  const { old, valid } = sorted(scene);
  const all = new Set([...old, ...valid].map(({ instance }) => instance.id));
  const served = { all, leaving, old: old.length, before: before.sizes.desired };
  const timeout = timeoutIn(scene, tools);
  const isDone = (id: string): boolean =>
    unawaited.includes(id) || isOver(unhealthy.get(id) ?? 0, timeout);
  return thinTargets(read.found.groups, served).filter(({ id }) => !isDone(id));
}

/** Whether an upgrade has waited so often for the unhealthy targets of a target group that it does so no more. */
const isOver = (waits: number, timeout: Duration): boolean => waits * timeout >= firstChecks;

/** Notes the target groups that an attempt has waited for in vain, and names those that no further attempt waits for. */
async function countWaits(
  thin: readonly ThinGroup[],
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<void> {
  const { bookmark } = scene;
  const known = bookmark.unhealthy;
  const room = mostUnawaited - known.size;
  const counted = [
    ...thin.filter(({ id }) => known.has(id)),
    ...thin.filter(({ id }) => !known.has(id)).slice(0, room),
  ];
  if (counted.length === 0) return;
  const waits = new Map(counted.map(({ id }) => [id, (known.get(id) ?? 0) + 1]));
  const timeout = timeoutIn(scene, tools);
  tellUnawaited(
    counted.filter(({ id }) => isOver(waits.get(id) ?? 0, timeout)).map(({ reason }) => reason),
    tools,
  );
  const unhealthy = new Map([...known, ...waits]);
  await bookmarkProgress(bookmark, { unhealthy, since: bookmark.since }, tools);
}

/** Says which target groups the rest of the upgrade does not wait for. */
function tellUnawaited(reasons: readonly string[], { ports: { journal } }: UpgradeTools): void {
  const warnings = reasons.map(
    (reason) => `${reason}; this upgrade has waited for it, and does so no more`,
  );
  if (warnings.length > 0) journal.record({ kind: "warning", about: "load balancers", warnings });
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
  if (!asksTargets(scene, tools)) return { kind: "instance", instance: first.instance.id };
  const members = membersIn(scene);
  const read = await instanceTargets(candidates.map(leaverOf), ports);
  const losses: TargetLoss[] = [];
  for (const one of candidates) {
    const loss = lossIn(read, { ...members, ids: idsOf([leaverOf(one)]) });
    if (loss.kind === "none") return unlessPods(one, scene, tools);
    losses.push(loss);
  }
  const hold = await holdBy(losses, scene, tools);
  return hold.kind === "none" ? unlessPods(first, scene, tools) : hold;
}

/** Chooses a candidate, unless its pods are targets that have to wait for others. */
async function unlessPods(
  candidate: Candidate,
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<Choice> {
  const loss = await podLoss([leaverOf(candidate)], membersIn(scene), tools.ports);
  const hold = await holdBy([loss], scene, tools);
  return hold.kind === "none" ? { kind: "instance", instance: candidate.instance.id } : hold;
}

/** Waits for targets while there is time. Then their target groups are left out of the rest of the upgrade. */
async function holdBy(
  losses: readonly TargetLoss[],
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<Hold> {
  const reasons = new Set(losses.flatMap(reasonsIn));
  if (reasons.size === 0) return { kind: "none" };
  if (scene.now < targetsHoldUntil(scene, tools)) return { kind: "held", reasons: [...reasons] };
  const awaited = losses.filter((loss) => loss.kind === "avoidable");
  return awaited.length === 0 ? { kind: "none" } : leaveOut(awaited, scene, tools);
}

type Awaited = Extract<TargetLoss, { readonly kind: "avoidable" }>;

/** Notes that target groups are no longer waited for, as far as there is room, and names them. */
async function leaveOut(
  losses: readonly Awaited[],
  { bookmark }: UpgradeScene,
  tools: UpgradeTools,
): Promise<Hold> {
  tellUnawaited([...new Set(losses.flatMap((loss) => loss.reasons))], tools);
  const noted = new Set([...bookmark.unawaited, ...losses.flatMap(({ groups }) => groups)]);
  const unawaited = [...noted].slice(0, mostUnawaited);
  if (unawaited.length === bookmark.unawaited.length) return { kind: "none" };
  await bookmarkProgress(bookmark, { unawaited, since: bookmark.since }, tools);
  return { kind: "noted" };
}

const reasonsIn = (loss: TargetLoss): readonly string[] =>
  loss.kind === "avoidable" || loss.kind === "unread" ? loss.reasons : [];

const leaverOf = ({ instance, node }: Candidate): Leaver => ({
  instance: instance.id,
  node: node === "absent" ? "none" : node.name,
});

const timeoutIn = ({ group }: UpgradeScene, { policy }: UpgradeTools): Duration =>
  policy.drain.settingsFor(group.tags).settings.targetTimeout;

/** Whether targets are waited for: not in a group whose drains ask no load balancer. */
const asksTargets = (scene: UpgradeScene, tools: UpgradeTools): boolean =>
  timeoutIn(scene, tools) > 0;

// As many as fit into a tag.
const mostUnawaited = 10;

/**
 * Until when targets are waited for. Somebody may add a target group for each attempt: once there is no room to note them,
 * an attempt waits only as long as a drain.
 */
function targetsHoldUntil(scene: UpgradeScene, tools: UpgradeTools): Instant {
  const { since, unawaited } = scene.bookmark;
  const isFull = unawaited.length >= mostUnawaited;
  return later(since, isFull ? timeoutIn(scene, tools) : firstChecks);
}

function membersIn(scene: UpgradeScene): Omit<Leavers, "ids"> {
  const { old, fresh } = sorted(scene);
  const members = [...old, ...fresh].filter(isInService);
  const coming = members.filter((one) => serves(one) && scene.now < registeredBy(one, scene));
  return {
    own: new Set(members.map(({ instance }) => instance.id)),
    coming: new Set(coming.map(({ instance }) => instance.id)),
    enough: scene.bookmark.before.sizes.desired,
    unawaited: new Set(scene.bookmark.unawaited),
  };
}

/** A node is registered some time after it has become ready, or after the upgrade has taken its mark off it. */
const registeredBy = ({ node }: Candidate, { bookmark: { since } }: UpgradeScene): Instant =>
  later(node === "absent" ? since : latest(node.readinessSince, since), registersWithin);
