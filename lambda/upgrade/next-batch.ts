import { later, minutes } from "../base/time.ts";
import type { MachineNode } from "../drain/node.ts";
import { type Issue, spareFirst } from "./issues.ts";
import { awaitNodes, lackText, zonesToCover, zonesWithout } from "./new-nodes.ts";
import { type CandidateProgress, progressOf, tryCounted } from "./node-marks.ts";
import { type Candidate, inOrder, serves } from "./old-instances.ts";
import type { UpgradeScene, UpgradeStep } from "./scene.ts";
import { tooManyText, trySetAside } from "./set-aside.ts";
import { awaitsShift, tryAwaitShift } from "./shifts.ts";
import { surgeOf } from "./sizes.ts";
import { trySoak } from "./soak.ts";
import type { SortedScene } from "./sorted-instances.ts";
import { isOutOfTime, lookAgain, tryAwaitResumed, tryAwaitWindow, tryBrake } from "./waits.ts";

/** The attempts that each node has. A blocked node gets its second one after all others. */
const attemptsOfNode = 2;

/** The number of nodes that may be drained at the same time, and the scene. */
export function nextBatch(
  placed: readonly CandidateProgress[],
  batch: number,
  scene: SortedScene,
): UpgradeStep {
  const { now, bookmark } = scene;
  const suspended = tryAwaitResumed(scene);
  if (suspended !== undefined) return suspended;
  const shifted = placed.filter((one) => hasAttempt(one) && awaitsShift(one.candidate, scene));
  const waiting = waitingIn(placed.filter((one) => !shifted.includes(one)));
  if (waiting.length + shifted.length === 0) return blockedForGood(placed, scene);
  if (isOutOfTime(bookmark, now))
    return { kind: "fail", issue: lateIssue(placed.length, lackText(scene)) };
  const ready = coveredIn(waiting, scene);
  const size = Math.min(batch, ready.length);
  const obstacle =
    tryAwaitReady(scene) ?? tryAwaitPresent(placed, size, floorOf(scene, batch), scene);
  const held = trySoak(obstacle, scene) ?? tryAwaitWindow(scene) ?? obstacle;
  if (held !== undefined) return held;
  if (ready.length === 0) return awaitZones(waiting, shifted, scene);
  const next = nextOf(ready, scene).slice(0, size);
  const stranger = next.find(({ node }) => node !== "absent" && node.providerId === "");
  return stranger === undefined ? begunOf(next, scene) : awaitNodes(strangeness(stranger), scene);
}

/** Waits while too many nodes are not ready, or too many pods wait for a node. */
function tryAwaitReady(scene: SortedScene): UpgradeStep | undefined {
  const { bookmark, pending, old, fresh } = scene;
  const unready = [...old, ...fresh].filter((one) => !serves(one)).length;
  const brake = tryBrake(bookmark, { unready, pending });
  return brake === undefined
    ? undefined
    : lookAgain(brake, scene, { since: "restarts", shownIn: "in the tags" });
}

/** Waits until the group has enough nodes for a batch of that size to go. */
function tryAwaitPresent(
  placed: readonly CandidateProgress[],
  size: number,
  floor: number,
  scene: SortedScene,
): UpgradeStep | undefined {
  // A node that is drained and kept serves nobody.
  const serving = placed.filter(({ progress }) => progress.kind !== "drained");
  const present = serving.length + scene.valid.length;
  if (present - size >= floor) return undefined;
  const reason = `${present} nodes of old and new ones, and ${floor + size} are needed before the next may go`;
  return awaitNodes(reason, scene);
}

// After a zonal shift, Auto Scaling rebalances its zones by itself, if that is not suspended.
const zoneCoveredWithin = minutes(10);

/** The waiting nodes in whose zone a new node is valid; all of them if none has become so in time. */
function coveredIn(
  waiting: readonly CandidateProgress[],
  scene: SortedScene,
): readonly CandidateProgress[] {
  const bare = zonesLeftBare(scene);
  const covered = waiting.filter(({ candidate }) => !bare.includes(candidate.instance.zone));
  const isLate = later(scene.bookmark.since, zoneCoveredWithin) <= scene.now;
  return covered.length === 0 && isLate ? waiting : covered;
}

/** The zones of old nodes without a valid new one, although the surge is enough for each. */
function zonesLeftBare(scene: SortedScene): readonly string[] {
  const { bookmark, group } = scene;
  const { options, before } = bookmark;
  const surge = surgeOf(options, before.sizes.desired, group.zones.length);
  return surge < zonesToCover(scene).length || surge === 0 ? [] : zonesWithout(scene);
}

/** Waits for the end of a zonal shift, or for a new node in the zones of the old ones. */
function awaitZones(
  waiting: readonly CandidateProgress[],
  shifted: readonly CandidateProgress[],
  scene: SortedScene,
): UpgradeStep {
  const left = [...waiting, ...shifted].map(({ candidate }) => candidate);
  const reason = `no new node in ${zonesLeftBare(scene).join(", ")} is valid`;
  return tryAwaitShift(left, scene) ?? lookAgain(reason, scene, { shownIn: "in the tags" });
}

/** Why a drain would leave a node alone: only its name tells which instance it runs on. */
const strangeness = ({ instance, node }: Candidate): string =>
  `node ${node === "absent" ? "" : node.name} has no provider ID, so that nobody knows for sure that it is the one of old instance ${instance.id}`;

/** The nodes that wait for an attempt. Blocked nodes get their second one when no other node is left. */
function waitingIn(placed: readonly CandidateProgress[]): readonly CandidateProgress[] {
  const untouched = placed.filter(({ progress }) => progress.kind === "untouched");
  return untouched.length > 0 ? untouched : placed.filter((one) => hasAttemptLeft(one));
}

/** Whether a node has had fewer attempts than it gets. */
const hasAttempt = (one: CandidateProgress): boolean =>
  one.progress.kind === "untouched" || hasAttemptLeft(one);

const hasAttemptLeft = ({ progress }: CandidateProgress): boolean =>
  progress.kind === "blocked" && progress.attempt.number < attemptsOfNode;

/**
 * The number of nodes that the group keeps while a batch is drained. Somebody may have made the
 * group smaller in the meantime.
 */
function floorOf({ bookmark: { before, options }, group }: UpgradeScene, batch: number): number {
  const { desired } = group.sizes;
  return options.strategy === "MINIMAL"
    ? Math.min(before.sizes.desired, desired) - batch
    : Math.min(before.sizes.desired, desired - batch);
}

/** The waiting nodes, in the order of their attempts. */
export function nextOf(
  waiting: readonly CandidateProgress[],
  { bookmark: { id, options } }: UpgradeScene,
): readonly Candidate[] {
  const candidates = waiting.map(({ candidate }) => candidate);
  const pods = new Map(
    candidates.flatMap(({ node }) =>
      node === "absent" ? [] : [[node.name, tryCounted(node, id) ?? 0]],
    ),
  );
  return inOrder(candidates, { id, order: options.order, pods });
}

/** Begins attempts. Instances without a node are terminated at once. */
export function begunOf(next: readonly Candidate[], { now, bookmark }: UpgradeScene): UpgradeStep {
  const without = next.filter(({ node }) => node === "absent").map(({ instance }) => instance.id);
  if (without.length > 0) return { kind: "terminate", instances: without, capacity: "kept" };
  const begins = next.flatMap(({ node }) =>
    node === "absent"
      ? []
      : [{ node, attempt: { number: numberOf(node, bookmark.id), begun: now } }],
  );
  return { kind: "begin", attempts: begins };
}

function numberOf(node: MachineNode, id: string): number {
  const progress = progressOf(node, id);
  return progress.kind === "blocked" ? progress.attempt.number + 1 : 1;
}

/** Sets the blocked nodes aside, or fails. */
function blockedForGood(placed: readonly CandidateProgress[], scene: UpgradeScene): UpgradeStep {
  const aside = trySetAside(placed, scene);
  if (aside !== undefined) return aside;
  const { id, options } = scene.bookmark;
  const lines = placed.flatMap(({ candidate: { node }, progress }) =>
    node !== "absent" && progress.kind === "blocked" ? [`node ${node.name}: ${progress.left}`] : [],
  );
  const moreRoom =
    options.strategy === "MINIMAL" ? [`if pods of theirs wait for room, ${spareFirst}`] : [];
  const message = [
    `${lines.length} nodes could not be drained`,
    ...tooManyText(scene),
    ...lines,
    ...moreRoom,
  ].join("; ");
  return {
    kind: "fail",
    issue: { code: "PodEvictionFailure", message: `upgrade ${id}: ${message}` },
  };
}

/** The issue of an upgrade that has exceeded its time limit. */
export const lateIssue = (old: number, lack = ""): Issue => ({
  code: "TimeLimitExceeded",
  message: `the time of the upgrade is up, and ${old} nodes are still old${lack === "" ? "" : `: ${lack}`}`,
});
