import { earliest } from "../base/time.ts";
import { launchText, names } from "../group/scaling-group.ts";
import { placedIn, tryEndBegun } from "./begun-attempts.ts";
import type { UpgradePhase } from "./bookmark.ts";
import { isKept, keepStep } from "./keep-old.ts";
import { awaitNodes, lackText, tryAdmit, zonesToCover, zonesWithout } from "./new-nodes.ts";
import { lateIssue, nextBatch } from "./next-batch.ts";
import type { CandidateProgress } from "./node-marks.ts";
import { isScaledElsewhere, launchesTarget, putBackStep, scaleDownStep } from "./put-back.ts";
import type { UpgradeScene, UpgradeStep } from "./scene.ts";
import { isSetAside } from "./set-aside.ts";
import { tryAwaitShift } from "./shifts.ts";
import { batchOf, raised, surgeOf } from "./sizes.ts";
import { type SortedScene, sorted } from "./sorted-instances.ts";
import { isOutOfTime, limitOf, tryAwaitPass, tryAwaitResumed, tryAwaitWindow } from "./waits.ts";

/** Decides what an upgrade does next that does not roll back. It depends only on the scene, so any pass may be the first. */
export function nextUpgradeStep(scene: UpgradeScene): UpgradeStep {
  const { state } = scene.bookmark;
  if (state === "aborting" || state === "failing") return putBackStep(sorted(scene));
  if (state === "paused") return pausedStep(sorted(scene));
  const step = tryEndUnwritable(scene) ?? runningStep(sorted(scene));
  const limit = limitOf(scene.bookmark);
  return step.kind === "wait" && scene.now < limit
    ? { ...step, until: earliest(step.until, limit) }
    : step;
}

function runningStep(scene: SortedScene): UpgradeStep {
  const { phase, to } = scene.bookmark;
  if (isUnderWay(phase) && !launchesTarget(scene))
    return endsByName(scene) ? { kind: "launch-by", template: to } : rolledBack(scene);
  return isBeforeTurns(scene) && isOutOfTime(scene.bookmark, scene.now)
    ? late(scene)
    : phaseStep(scene);
}

function phaseStep(scene: SortedScene): UpgradeStep {
  switch (scene.bookmark.phase) {
    case "set-up":
      return setUpStep(scene);
    case "canary":
      return canaryStep(scene);
    case "scale-up":
      return scaleUpStep(scene);
    case "upgrade":
      return tryReplace(scene, batchIn(scene)) ?? { kind: "enter", phase: afterUpgrade(scene) };
    case "keep":
      return tryReplace(scene, batchIn(scene)) ?? keepStep(placedIn(scene), scene);
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
  if (isReplaced(scene)) return { kind: "enter", phase: afterUpgrade(scene) };
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

/** Whether no old node is left but those that are set aside or kept. */
const isReplaced = (scene: SortedScene): boolean =>
  placedIn(scene).every((one) => isSetAside(one) || isKept(one, scene));

const afterUpgrade = (scene: SortedScene): UpgradePhase =>
  placedIn(scene).some((one) => isKept(one, scene)) ? "keep" : "scale-down";

/** Replaces old nodes, a batch at a time; `undefined` if none are left. */
function tryReplace(scene: SortedScene, batch: number): UpgradeStep | undefined {
  const placed = placedIn(scene);
  return (
    tryEndRestless(placed, scene) ??
    tryAdmit(scene) ??
    tryEndBegun(placed, scene) ??
    (isReplaced(scene) ? undefined : nextBatch(placed, batch, scene))
  );
}

/** Fails once nodes were drained far more often than two attempts of each: a kubelet may take the marks off its node. */
function tryEndRestless(
  placed: readonly CandidateProgress[],
  scene: SortedScene,
): UpgradeStep | undefined {
  const { drains } = scene.bookmark;
  if (drains <= 3 * sizeOf(scene) + 10) return undefined;
  const names = placed.map(({ candidate: { node, instance } }) =>
    node === "absent" ? instance.id : node.name,
  );
  const message = `nodes were drained ${drains} times, and are still old: ${names.slice(0, 3).join(", ")}; something takes the upgrade's annotations off a node, perhaps its own kubelet`;
  return { kind: "fail", issue: { code: "PodEvictionFailure", message } };
}

/** Fails where writes of a node fail or are undone, because each step writes what it does into the nodes. */
function tryEndUnwritable({ nodes, unwritable }: UpgradeScene): UpgradeStep | undefined {
  const node = [...nodes.values()].find(({ instance }) => unwritable.has(instance));
  if (node === undefined) return undefined;
  const message = `node ${node.name} keeps no mark of the upgrade, and others do: the log says why`;
  return { kind: "fail", issue: { code: "PodEvictionFailure", message } };
}

/** The step while paused: what has begun ends, nothing new begins, and then the message of the upgrade ends. */
const pausedStep = (scene: SortedScene): UpgradeStep =>
  tryEndBegun(placedIn(scene), scene) ??
  tryAwaitPass("a pass that is under way may still begin something", scene) ?? { kind: "pause" };
