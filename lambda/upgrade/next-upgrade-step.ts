import { earliest, type Instant, later, never } from "../base/time.ts";
import type { MachineNode } from "../drain/node.ts";
import { launchText, names } from "../group/scaling-group.ts";
import type { UpgradePhase } from "./bookmark.ts";
import { awaitNodes, lackText, tryAdmit, zonesToCover, zonesWithout } from "./new-nodes.ts";
import { lateIssue, nextBatch } from "./next-batch.ts";
import {
  type CandidateProgress,
  type NodeProgress,
  nodesAt,
  progressOf,
  tryCordoning,
  tryCounted,
  tryReopening,
  tryUncordoning,
} from "./node-marks.ts";
import { isScaledElsewhere, launchesTarget, putBackStep, scaleDownStep } from "./put-back.ts";
import type { NodeAttempt, UpgradeScene, UpgradeStep } from "./scene.ts";
import { isSetAside } from "./set-aside.ts";
import { awaitsShift, tryAwaitShift } from "./shifts.ts";
import { batchOf, raised, surgeOf } from "./sizes.ts";
import { type SortedScene, sorted } from "./sorted-instances.ts";
import {
  isHeld,
  isOutOfTime,
  limitOf,
  lookAgain,
  suspensionOf,
  tryAwaitPass,
  tryAwaitResumed,
  tryAwaitWindow,
  wait,
} from "./waits.ts";

/** Decides what an upgrade does next. It depends only on the scene, so any pass may be the first. */
export function nextUpgradeStep(scene: UpgradeScene): UpgradeStep {
  const { state } = scene.bookmark;
  if (state === "aborting" || state === "failing") return putBackStep(sorted(scene));
  if (state === "paused") return pausedStep(sorted(scene));
  const step = runningStep(sorted(scene));
  const limit = limitOf(scene.bookmark);
  return step.kind === "wait" && scene.now < limit
    ? { ...step, until: earliest(step.until, limit) }
    : step;
}

function runningStep(scene: SortedScene): UpgradeStep {
  const { phase, to } = scene.bookmark;
  if (isUnderWay(phase) && !launchesTarget(scene))
    return endsByName(scene) ? { kind: "launch-by", template: to } : rolledBack(scene);
  if (isBeforeTurns(scene) && isOutOfTime(scene.bookmark, scene.now)) return late(scene);
  switch (phase) {
    case "set-up":
      return setUpStep(scene);
    case "canary":
      return canaryStep(scene);
    case "scale-up":
      return scaleUpStep(scene);
    case "upgrade":
      return tryReplace(scene, batchIn(scene)) ?? { kind: "enter", phase: "scale-down" };
    case "scale-down":
      return scaleDownStep(scene);
  }
}

/** True before the first attempt. Until then only new nodes are under way. */
const isBeforeTurns = (scene: UpgradeScene): boolean =>
  ["set-up", "scale-up"].includes(scene.bookmark.phase) ||
  (scene.bookmark.phase === "canary" && afterCanary(scene) === "scale-up");

const late = (scene: SortedScene): UpgradeStep => ({
  kind: "fail",
  issue: lateIssue(scene.old.length, lackText(scene)),
});

/** True if the group already names the version that it names at the end, so nobody has rolled it back. */
const endsByName = ({ group, bookmark: { to, ending } }: UpgradeScene): boolean =>
  names(group.source, { template: to.template, version: ending });

const isUnderWay = (phase: UpgradePhase): boolean => phase !== "set-up" && phase !== "scale-down";

function setUpStep(scene: SortedScene): UpgradeStep {
  const { to: template, options } = scene.bookmark;
  if (!launchesTarget(scene)) return tryAwaitWindow(scene) ?? { kind: "launch-by", template };
  if (placedIn(scene).every(isSetAside)) return { kind: "enter", phase: "scale-down" };
  return { kind: "enter", phase: options.canary === "first" ? "canary" : afterCanary(scene) };
}

const afterCanary = ({ bookmark }: UpgradeScene): UpgradePhase =>
  bookmark.options.strategy === "MINIMAL" ? "upgrade" : "scale-up";

/** The step of the canary: one new node, launched in addition, or in place of an old one. */
function canaryStep(scene: SortedScene): UpgradeStep {
  const phase = afterCanary(scene);
  if (scene.valid.length > 0) return { kind: "confirm", phase };
  const admitted = tryAdmit(scene);
  if (admitted !== undefined) return admitted;
  if (phase === "upgrade") return tryReplace(scene, 1) ?? { kind: "enter", phase };
  return tryRaise(scene, 1) ?? awaitNodes("the first new node is not valid yet", scene);
}

function scaleUpStep(scene: SortedScene): UpgradeStep {
  const surge = surgeIn(scene);
  const step = tryAdmit(scene) ?? tryRaise(scene, surge);
  if (step !== undefined) return step;
  const without = zonesWithout(scene);
  const zones = zonesToCover(scene).length;
  const isCovered = zones - without.length >= Math.min(zones, surge);
  if (isCovered && isAdmitted(scene)) return { kind: "enter", phase: "upgrade" };
  const places = without.length === 0 ? "of the group" : `in ${without.join(", ")}`;
  return awaitNodes(`the new nodes ${places} are not valid yet`, scene);
}

/** True if all new nodes are valid. */
const isAdmitted = ({ fresh, valid }: SortedScene): boolean =>
  valid.length === fresh.filter(({ instance }) => instance.state === "InService").length;

function tryRaise(scene: SortedScene, by: number): UpgradeStep | undefined {
  const { group, bookmark } = scene;
  const wanted = raised(bookmark.before.sizes, by);
  if (bookmark.size < wanted.desired && isScaledElsewhere(scene)) return adopted(scene);
  if (group.sizes.desired >= wanted.desired) return undefined;
  const max = Math.max(group.sizes.max, wanted.max);
  const sizes = { ...wanted, max };
  const held = tryAwaitWindow(scene) ?? tryAwaitResumed(scene) ?? tryAwaitShift(scene.old, scene);
  return held ?? { kind: "resize", sizes, size: wanted.desired };
}

/** Adds to the bookmark what somebody has added to the desired capacity before the surge. */
function adopted({ group, bookmark: { before, size } }: UpgradeScene): UpgradeStep {
  const desired = before.sizes.desired + group.sizes.desired - size;
  const sizes = { ...before.sizes, desired, max: Math.max(before.sizes.max, desired) };
  return { kind: "adopt", before: { ...before, sizes }, size: group.sizes.desired };
}

const sizeOf = ({ bookmark }: UpgradeScene): number => bookmark.before.sizes.desired;

const surgeIn = (scene: UpgradeScene): number =>
  surgeOf(scene.bookmark.options, sizeOf(scene), scene.group.zones.length);

const batchIn = (scene: UpgradeScene): number =>
  batchOf(scene.bookmark.options, sizeOf(scene), scene.group.zones.length);

const rolledBack = (scene: UpgradeScene): UpgradeStep => ({
  kind: "fail",
  issue: {
    code: "Ec2LaunchTemplateVersionMismatch",
    message: `somebody has the group launch by ${launchText(scene.group.source)} again, not by version ${scene.bookmark.to.version}`,
  },
});

/** Replaces old nodes, a batch at a time; `undefined` if none are left. */
function tryReplace(scene: SortedScene, batch: number): UpgradeStep | undefined {
  const placed = placedIn(scene);
  return (
    tryAdmit(scene) ??
    tryEndBegun(placed, scene) ??
    (placed.every(isSetAside) ? undefined : nextBatch(placed, batch, scene))
  );
}

/** The step while paused: what has begun ends, nothing new begins, and then the message of the upgrade ends. */
const pausedStep = (scene: SortedScene): UpgradeStep =>
  tryEndBegun(placedIn(scene), scene) ??
  tryAwaitPass("a pass that is under way may still begin something", scene) ?? { kind: "pause" };

const tryEndBegun = (
  placed: readonly CandidateProgress[],
  scene: SortedScene,
): UpgradeStep | undefined =>
  tryTerminate(placed, scene) ?? tryTidy(placed, scene) ?? tryGoOn(placed, scene);

const placedIn = ({ old, bookmark }: SortedScene): readonly CandidateProgress[] =>
  old.map((candidate) => ({ candidate, progress: progressOf(candidate.node, bookmark.id) }));

/** Terminates old instances that are drained. */
function tryTerminate(
  placed: readonly CandidateProgress[],
  scene: UpgradeScene,
): UpgradeStep | undefined {
  const instances = placed
    .filter(({ progress }) => restsUntil(progress, scene) <= scene.now)
    .map(({ candidate }) => candidate.instance.id);
  return instances.length === 0 ? undefined : { kind: "terminate", instances, capacity: "kept" };
}

/** Time until which a drained node is kept; `never` for other nodes, and while Auto Scaling may not terminate instances. */
const restsUntil = (progress: NodeProgress, { bookmark, group }: UpgradeScene): Instant =>
  progress.kind === "drained" && suspensionOf(group) === undefined
    ? later(progress.at, bookmark.options.afterDrain)
    : never;

/** Counts pods, cordons nodes, and gives blocked nodes back to load balancers. */
function tryTidy(
  placed: readonly CandidateProgress[],
  scene: UpgradeScene,
): UpgradeStep | undefined {
  const { bookmark, taints } = scene;
  const blocked = nodesAt(placed, "blocked").filter((node) => tryReopening(node, taints));
  if (blocked.length > 0) return { kind: "reopen", nodes: blocked };
  const untouched = nodesAt(placed, "untouched");
  const uncounted = untouched.filter((node) => tryCounted(node, bookmark.id) === undefined);
  if (bookmark.options.order === "emptiest" && uncounted.length > 0)
    return { kind: "count", nodes: uncounted };
  const aside = nodesAt(placed, "set-aside").filter((node) => tryCordoning(node, bookmark.id));
  if (aside.length > 0) return { kind: "cordon", nodes: aside };
  if (bookmark.options.cordon === "one-by-one" || bookmark.phase !== "upgrade") return undefined;
  const near = placed.filter(({ candidate }) => isHeld(scene) || !awaitsShift(candidate, scene));
  return tryCordon([...nodesAt(near, "untouched"), ...nodesAt(near, "blocked")], scene);
}

/**
 * Cordons old nodes while the upgrade runs. While the upgrade is held, perhaps for days, pods need the room on the old
 * nodes, so it uncordons them, except a node that another drain has marked. In a zone that traffic is shifted away from
 * nodes stay as they are.
 */
function tryCordon(nodes: readonly MachineNode[], scene: UpgradeScene): UpgradeStep | undefined {
  const [kind, change] = isHeld(scene)
    ? (["uncordon", tryUncordoning] as const)
    : (["cordon", tryCordoning] as const);
  const wrong = nodes.filter((one) => change(one, scene.bookmark.id) !== undefined);
  return wrong.length === 0 ? undefined : { kind, nodes: wrong };
}

/** Goes on with nodes whose attempt has begun, even if the others are held. */
function tryGoOn(
  placed: readonly CandidateProgress[],
  scene: SortedScene,
): UpgradeStep | undefined {
  const until = earliest(never, ...placed.map(({ progress }) => restsUntil(progress, scene)));
  const drains = placed.flatMap(({ candidate: { node }, progress }): readonly NodeAttempt[] =>
    node !== "absent" && progress.kind === "draining" ? [{ node, attempt: progress.attempt }] : [],
  );
  if (drains.length > 0) return { kind: "drain", attempts: drains, until };
  if (until < never) return wait("drained nodes leave load balancers", until);
  const [first] = scene.leaving;
  if (first === undefined) return undefined;
  const reason = `${scene.leaving.length} instances end, such as ${first.id} (${first.state})`;
  return lookAgain(reason, scene);
}
