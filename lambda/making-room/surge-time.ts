import { earliest, type Instant, later, minutes, never, seconds } from "../base/time.ts";
import type { DrainSettings } from "../drain/drain-policy.ts";
import { type ForceTimes, forcedFrom } from "../drain/overdue.ts";
import type { Pod } from "../drain/pod.ts";
import { everyGrace } from "../drain/reason.ts";
import type { RoomRecord } from "./record.ts";
import type { DrainMark, RoomScene } from "./room-scene.ts";

// A surge without success is given up, with the reason, before the pod is deleted in spite of its budget.
const toGiveUp = seconds(-5);

/** How long a drain waits for room for a pod: until directly before it forces that, or else until its deadline. */
export const waitEnds = (
  pod: Pick<Pod, "grace">,
  times: ForceTimes,
  { force }: Pick<DrainSettings, "force">,
): Instant => (force === "never" ? times.deadline : later(forcedFrom(pod, times), toGiveUp));

// Somebody may take a cost away each time, or the API server refuse it, and new pods may fail again and again before they count.
const overtime = minutes(20);

/** Whether a surge has gone on for so long after its time that it waits for nothing more. */
export const isLongOver = ({ until }: RoomRecord, { now }: Pick<RoomScene, "now">): boolean =>
  now >= later(until, overtime);

/** Whether the time of a surge is over, or that of a drain with a nearer deadline than the one that has surged it. */
export const isTimeUp = ({ until }: RoomRecord, { need, now }: RoomScene): boolean =>
  now >= earliest(until, need === "none" ? never : need.until);

/** How long the drain of a pod's node waits for room; of other drains as far as this process or the marks of their nodes say. */
export function waitEndsIn({ need, draining, settings, now }: RoomScene, pod: Pod): Instant {
  if (need !== "none" && need.node === pod.node) return need.until;
  const { at: begun, deadline, drain } = draining.get(pod.node) ?? unmarked;
  if (drain !== undefined) return drain.until;
  // It may be that of an earlier drain, and the next one has more time.
  if (deadline <= now) return never;
  return waitEnds(pod, { begun, deadline, budgetGrace: everyGrace }, settings);
}

const unmarked: DrainMark = { at: never, deadline: never };

/** Whether the drain of a pod's node forces that in the end. Another one whose mark alone is known does so if this one does, and perhaps also if not. */
export function forceOf(
  { node }: Pod,
  { need, draining, settings: { force } }: RoomScene,
): DrainSettings["force"] | "unknown" {
  if (need !== "none" && need.node === node) return force;
  const known = draining.get(node)?.drain?.force;
  return known ?? (force === "never" ? "unknown" : force);
}
