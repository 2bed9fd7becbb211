import { earliest, type Instant, later, latest, minutes, never } from "../base/time.ts";
import type { DrainSettings } from "../drain/drain-policy.ts";
import { type ForceTimes, forcedFrom } from "../drain/overdue.ts";
import type { Pod } from "../drain/pod.ts";
import { everyGrace } from "../drain/reason.ts";
import type { RoomRecord } from "./record.ts";
import { type DrainMark, displacedOf, type RoomScene } from "./room-scene.ts";

/** How long a drain waits for room for a pod: until it forces that, or else until its deadline. */
export const waitEnds = (
  pod: Pick<Pod, "grace">,
  times: ForceTimes,
  { force }: Pick<DrainSettings, "force">,
): Instant => (force === "never" ? times.deadline : forcedFrom(pod, times));

// The sweep of the schedule comes several times within an hour.
export const longestSurge = minutes(30);

/**
 * When the time of a surge is over: with that of the drain that looks, and of all others whose ready pods it is to replace, half an hour after its begin at
 * the latest. Where no drain looks, and no such pod is left, with that of the drain that has begun it.
 */
function timeEnds({ since, until }: RoomRecord, scene: RoomScene): Instant {
  const { need } = scene;
  const waits = displacedOf(scene)
    .filter(({ pod }) => pod.ready)
    .map(({ pod }) => waitOf(pod, scene));
  const [first = until, ...others] = need === "none" ? waits : [need.until, ...waits];
  return earliest(latest(first, ...others), later(since, longestSurge));
}

/** Whether the time of a surge is over. */
export const isTimeUp = (record: RoomRecord, scene: RoomScene): boolean =>
  scene.now >= timeEnds(record, scene);

// Somebody may take a cost away each time, or the API server refuse it, and new pods may fail again and again before they count.
const overtime = minutes(20);

/** Whether a surge has gone on for so long after its time that it waits for nothing more. */
export const isLongOver = (record: RoomRecord, scene: RoomScene): boolean =>
  scene.now >= later(timeEnds(record, scene), overtime);

/** How long the drain of a pod's node waits for room; `never` if that is not known: of other drains the marks of their nodes tell the deadline. */
export function waitOf(pod: Pod, { need, draining, settings, now }: RoomScene): Instant {
  if (need !== "none" && need.node === pod.node) return need.until;
  const { at: begun, deadline, isOver } = draining.get(pod.node) ?? unmarked;
  // A deadline that is over may be that of an earlier drain, and the next one has more time. That of a drain at a terminal is not known.
  if (deadline <= now || deadline >= never) return isOver ? now : never;
  const ends = waitEnds(pod, { begun, deadline, budgetGrace: everyGrace }, settings);
  // A pod that is still there then may be one of a drain that forces nothing, whatever the settings of this one.
  return ends > now ? ends : deadline;
}

const unmarked: DrainMark = { at: never, deadline: never };
