import { type Instant, later, minutes, never, shortest, timestamp } from "../base/time.ts";
import type { ScalingGroup } from "../group/scaling-group.ts";
import type { Bookmark } from "./bookmark.ts";
import type { Issue } from "./issues.ts";
import { longestPass } from "./node-marks.ts";
import { usualOptions } from "./options.ts";
import type { StepOf, UpgradeScene } from "./scene.ts";
import { openFrom } from "./window.ts";

/** When an upgrade looks again at what nobody can foresee. Whoever has chosen to look seldom means the upgrade, not the way back. */
function nextLook({ now, bookmark: { state, options } }: UpgradeScene): Instant {
  const isGoingBack = state === "aborting" || state === "failing";
  const every = isGoingBack
    ? shortest(options.lookEvery, usualOptions.lookEvery)
    : options.lookEvery;
  return later(now, every);
}

/** Waits for what nobody can foresee. */
export const lookAgain = (reason: string, scene: UpgradeScene): StepOf<"wait"> => ({
  kind: "wait",
  reason,
  until: nextLook(scene),
  since: "as it is",
  told: "in the log",
});

/** Waits for the maintenance window, outside of which nothing begins; `undefined` while it is open. */
export function tryAwaitWindow({ bookmark, now }: UpgradeScene): StepOf<"wait"> | undefined {
  const until = openFrom(bookmark.options.window, now);
  return until === "open"
    ? undefined
    : { kind: "wait", reason: closedUntil(until), until, since: "anew", told: "in the log" };
}

/** Whether nothing may begin: somebody has paused the upgrade, or its maintenance window is closed. */
export const isHeld = (scene: UpgradeScene): boolean =>
  scene.bookmark.state === "paused" || tryAwaitWindow(scene) !== undefined;

/** Waits while a pass of the message that carried the upgrade before may still be under way, and do what was to be done then. */
export function tryAwaitPass(
  reason: string,
  { now, bookmark }: UpgradeScene,
): StepOf<"wait"> | undefined {
  const until = later(bookmark.told, longestPass);
  return now < until
    ? { kind: "wait", reason, until, since: "as it is", told: "in the log" }
    : undefined;
}

/** Says that the maintenance window is closed. */
export const closedUntil = (opens: Instant): string =>
  `the maintenance window is closed until ${timestamp(opens)}`;

// Without these no old node would end, nothing would come in its place, or nothing would reach what comes.
const needed = ["Launch", "Terminate", "AddToLoadBalancer"];

/** Names the processes that an upgrade needs and that somebody has suspended; `undefined` when there are none. */
export function suspensionOf(
  { name, suspended }: Pick<ScalingGroup, "name" | "suspended">,
  processes: readonly string[] = needed,
): Issue | undefined {
  const missing = suspended.filter((process) => processes.includes(process));
  if (missing.length === 0) return undefined;
  const message = `somebody has suspended ${missing.join(", ")} of group ${name}: resume that first`;
  return { code: "AutoScalingGroupInvalidConfiguration", message };
}

/** Waits until somebody resumes the processes that an upgrade needs, for as long as it may take; `undefined` when none is suspended. */
export function tryAwaitResumed(scene: UpgradeScene): StepOf<"fail" | "wait"> | undefined {
  const issue = suspensionOf(scene.group);
  if (issue === undefined) return undefined;
  return isOutOfTime(scene.bookmark, scene.now)
    ? { kind: "fail", issue }
    : untilResumed(issue, scene);
}

/** Waits until Auto Scaling may end instances, however long that takes: what an upgrade has launched is to go. */
export function tryAwaitTerminate(scene: UpgradeScene): StepOf<"wait"> | undefined {
  const issue = suspensionOf(scene.group, ["Terminate"]);
  return issue === undefined ? undefined : untilResumed(issue, scene);
}

// Who has suspended a process resumes it by hand.
const resumedIn = minutes(1);

const untilResumed = ({ message: reason }: Issue, { now }: UpgradeScene): StepOf<"wait"> => ({
  ...{ kind: "wait", reason, until: later(now, resumedIn), since: "anew", told: "in the log" },
});

/** How the cluster bears an upgrade. */
interface Bearing {
  /** How many of the group's nodes are not ready. */
  readonly unready: number;
  /** How many pods wait for a node. */
  readonly pending: number;
}

/** Whether an upgrade may start on further nodes now, or what keeps it. */
type Brake = { readonly kind: "go" } | { readonly kind: "held"; readonly reason: string };

/** Says whether an upgrade may start on further nodes, as far as the cluster bears it. */
export function brakeOf({ options, before }: Bookmark, { unready, pending }: Bearing): Brake {
  if (unready > options.maxUnready)
    return {
      kind: "held",
      reason: `${unready} nodes are not ready, more than ${options.maxUnready}`,
    };
  const more = pending - before.pending;
  if (more > options.maxPending)
    return {
      kind: "held",
      reason: `${more} pods more than at the begin wait for a node, more than ${options.maxPending}`,
    };
  return { kind: "go" };
}

/** Whether an upgrade has taken longer than it may. */
export const isOutOfTime = (bookmark: Bookmark, now: Instant): boolean => limitOf(bookmark) <= now;

/** When an upgrade has taken as long as it may. */
export const limitOf = ({ begun, options }: Bookmark): Instant =>
  options.timeLimit === "none" ? never : later(begun, options.timeLimit);
