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

/** How long the drain of a pod's node waits for room, as far as that is known: of other drains the marks of their nodes tell the deadline. */
export function waitOf(pod: Pod, { need, draining, settings, now }: RoomScene): Instant {
  if (need !== "none" && need.node === pod.node) return need.until;
  const { at: begun, deadline } = draining.get(pod.node) ?? unmarked;
  // A deadline that is over may be that of an earlier drain, and the next one has more time.
  return deadline <= now
    ? never
    : waitEnds(pod, { begun, deadline, budgetGrace: everyGrace }, settings);
}

const unmarked: DrainMark = { at: never, deadline: never };
