import { earliest, type Instant, later, latest, minutes, never, timestamp } from "../base/time.ts";
import type { Bookmark } from "./bookmark.ts";
import type { CandidateProgress } from "./node-marks.ts";
import { surplusIn } from "./put-back.ts";
import type { StepOf, UpgradeScene, UpgradeStep } from "./scene.ts";
import { isSetAside } from "./set-aside.ts";
import type { SortedScene } from "./sorted-instances.ts";
import { suspensionOf, wait } from "./waits.ts";
import { openFrom } from "./window.ts";

/** Whether an upgrade keeps the old nodes that it drains, so that somebody can have it go back. */
export const keepsOld = ({ options, state }: Pick<Bookmark, "options" | "state">): boolean =>
  options.keepOld !== "none" && state !== "rolling-back";

/** Whether an old node is drained and kept. */
export const isKept = ({ progress }: CandidateProgress, { bookmark }: UpgradeScene): boolean =>
  progress.kind === "drained" && keepsOld(bookmark);

/** When the kept nodes may end; `never` before the last old node is drained, and while the upgrade is paused. */
export function keptUntil({ bookmark, now }: Pick<UpgradeScene, "bookmark" | "now">): Instant {
  const { entered, options, phase, state } = bookmark;
  if (options.keepOld === "none" || phase !== "keep" || state !== "running") return never;
  const due = later(entered, options.keepOld);
  const opens = openFrom(options.window, now);
  return opens === "open" ? due : latest(due, opens);
}

/** Time until which a drained node is kept; `never` for other nodes, and while Auto Scaling may not terminate instances. */
export function restsUntil(
  { candidate: { instance }, progress }: CandidateProgress,
  scene: UpgradeScene,
): Instant {
  const { bookmark, group, drainedSince } = scene;
  if (progress.kind !== "drained" || suspensionOf(group) !== undefined) return never;
  const drained = earliest(progress.at, drainedSince.get(instance.id) ?? never);
  const leaves = later(drained, bookmark.options.afterDrain);
  return keepsOld(bookmark) ? latest(leaves, keptUntil(scene)) : leaves;
}

/**
 * Terminates old instances that are drained. Those that were kept are too many by then, so the group shrinks with them, unless
 * somebody has made it smaller meanwhile.
 */
export function tryTerminate(
  placed: readonly CandidateProgress[],
  scene: UpgradeScene,
): UpgradeStep | undefined {
  const due = placed
    .filter((one) => restsUntil(one, scene) <= scene.now)
    .map(({ candidate }) => candidate.instance.id);
  if (due.length === 0) return undefined;
  const surplus = keepsOld(scene.bookmark) ? surplusIn(scene, placed.filter(isSetAside).length) : 0;
  return surplus > 0
    ? { kind: "terminate", instances: due.slice(0, surplus), capacity: "shrinks" }
    : { kind: "terminate", instances: due, capacity: "kept" };
}

const keptLookedAt = minutes(10);

/** Waits while old nodes are kept; `undefined` otherwise. */
export function tryAwaitKept(scene: UpgradeScene): StepOf<"wait"> | undefined {
  const until = keptUntil(scene);
  if (until === never) return undefined;
  const reason = `the old nodes are kept until ${timestamp(until)}; \`upgrade rollback\` goes back to them until then`;
  return wait(reason, earliest(until, later(scene.now, keptLookedAt)));
}

/** Ends the time in which old nodes are kept, once none is left. */
export function keepStep(placed: readonly CandidateProgress[], scene: SortedScene): UpgradeStep {
  const suspension = suspensionOf(scene.group);
  return suspension !== undefined && placed.some((one) => isKept(one, scene))
    ? wait(suspension.message, later(scene.now, keptLookedAt), { since: "restarts" })
    : { kind: "enter", phase: "scale-down" };
}
