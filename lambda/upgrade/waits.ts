import { type Instant, later, minutes, never, seconds, shortest, timestamp } from "../base/time.ts";
import type { ScalingGroup } from "../group/scaling-group.ts";
import type { Bookmark } from "./bookmark.ts";
import type { Issue } from "./issues.ts";
import { longestPass } from "./node-marks.ts";
import { usualOptions } from "./options.ts";
import type { PendingPods } from "./pending-pods.ts";
import type { StepOf, UpgradeScene } from "./scene.ts";
import { openFrom } from "./window.ts";

/** When to look again for a change that nobody announces. `lookEvery` slows down the upgrade, and not the way back. */
function nextLook({ now, bookmark: { state, options } }: UpgradeScene): Instant {
  const isGoingBack = state !== "running" && state !== "paused";
  const every = isGoingBack
    ? shortest(options.lookEvery, usualOptions.lookEvery)
    : options.lookEvery;
  return later(now, every);
}

type Wait = StepOf<"wait">;
type How = Partial<Pick<Wait, "since" | "shownIn">>;

/** Waits until then; the log says what for. */
export const wait = (reason: string, until: Instant, how: How = {}): Wait => ({
  kind: "wait",
  reason,
  until,
  since: "as it is",
  shownIn: "in the log",
  ...how,
});

/** Waits for a change that nobody announces. */
export const lookAgain = (reason: string, scene: UpgradeScene, how: How = {}): Wait =>
  wait(reason, nextLook(scene), how);

const targetsLookedAt = seconds(10);

// Somebody may have made very many target groups.
const mostReasons = 10;

/** Waits for the targets of load balancers. */
export function awaitTargets(reasons: readonly string[], { now }: UpgradeScene): Wait {
  const more = reasons.length - mostReasons;
  const named = [...reasons.slice(0, mostReasons), ...(more > 0 ? [`and ${more} more`] : [])];
  return wait(named.join("; "), later(now, targetsLookedAt), { shownIn: "in the tags" });
}

/** Waits for the maintenance window; `undefined` while it is open. */
export function tryAwaitWindow({ bookmark, now }: UpgradeScene): Wait | undefined {
  const until = openFrom(bookmark.options.window, now);
  return until === "open" ? undefined : wait(closedUntil(until), until, { since: "restarts" });
}

/** Whether nothing may begin, because the upgrade is paused or its maintenance window is closed. */
export const isHeld = (scene: UpgradeScene): boolean =>
  scene.bookmark.state === "paused" || tryAwaitWindow(scene) !== undefined;

/** Waits while a pass of the message that carried the upgrade before may still be running. */
export function tryAwaitPass(reason: string, { now, bookmark }: UpgradeScene): Wait | undefined {
  const until = later(bookmark.told, longestPass);
  return now < until ? wait(reason, until) : undefined;
}

/** Says that the maintenance window is closed. */
export const closedUntil = (opens: Instant): string =>
  `the maintenance window is closed until ${timestamp(opens)}`;

// Without these processes no old instance terminates, no replacement is launched, or no load balancer gets it.
const needed = ["Launch", "Terminate", "AddToLoadBalancer"];

/** The suspended processes that an upgrade needs, as an issue; `undefined` if there are none. */
export function suspensionOf(
  { name, suspended }: Pick<ScalingGroup, "name" | "suspended">,
  processes: readonly string[] = needed,
): Issue | undefined {
  const missing = suspended.filter((process) => processes.includes(process));
  if (missing.length === 0) return undefined;
  const message = `somebody has suspended ${missing.join(", ")} of group ${name}: resume that first`;
  return { code: "AutoScalingGroupInvalidConfiguration", message };
}

/**
 * Waits until the processes that an upgrade needs are resumed, at most until its time limit; `undefined` if none is
 * suspended.
 */
export function tryAwaitResumed(scene: UpgradeScene): StepOf<"fail"> | Wait | undefined {
  const issue = suspensionOf(scene.group);
  if (issue === undefined) return undefined;
  return isOutOfTime(scene.bookmark, scene.now)
    ? { kind: "fail", issue }
    : untilResumed(issue, scene);
}

/** Waits without a limit until Auto Scaling may terminate instances, so that the surge can go. */
export function tryAwaitTerminate(scene: UpgradeScene): Wait | undefined {
  const issue = suspensionOf(scene.group, ["Terminate"]);
  return issue === undefined ? undefined : untilResumed(issue, scene);
}

// Somebody has to resume the process by hand.
const resumedIn = minutes(1);

const untilResumed = ({ message }: Issue, { now }: UpgradeScene): Wait =>
  wait(message, later(now, resumedIn), { since: "restarts" });

/** Why the cluster does not allow an upgrade to begin further nodes; `undefined` if it does. */
export function tryBrake(
  { options, before }: Bookmark,
  { unready, pending }: { readonly unready: number; readonly pending: PendingPods },
): string | undefined {
  if (unready > options.maxUnready)
    return `${unready} nodes are not ready, more than ${options.maxUnready}`;
  const more = pending.counted - before.pending;
  return more > options.maxPending
    ? `${more} pods more than at the begin wait for a node, more than ${options.maxPending}: ${pending.where}`
    : undefined;
}

export const isOutOfTime = (bookmark: Bookmark, now: Instant): boolean => limitOf(bookmark) <= now;

/** The time limit of an upgrade. */
export const limitOf = ({ begun, options }: Bookmark): Instant =>
  options.timeLimit === "none" ? never : later(begun, options.timeLimit);
