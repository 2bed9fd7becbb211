import { earliest, type Instant, later, minutes, never } from "../base/time.ts";
import type { DrainSettings } from "../drain/drain-policy.ts";
import { type ForceTimes, forcedFrom } from "../drain/overdue.ts";
import type { Pod } from "../drain/pod.ts";
import { everyGrace } from "../drain/reason.ts";
import type { RoomRecord } from "./record.ts";
import { type DrainMark, displacedOf, isOver, type RoomScene } from "./room-scene.ts";

/** How long a drain waits for room for a pod: until it forces that, or else until its deadline. */
export const waitEnds = (
  pod: Pick<Pod, "grace">,
  times: ForceTimes,
  { force }: Pick<DrainSettings, "force">,
): Instant => (force === "never" ? times.deadline : forcedFrom(pod, times));

// The sweep of the schedule comes several times within an hour.
export const longestSurge = minutes(30);

/** When the time of a surge is over: half an hour after its begin, or before that once the drains of all displaced pods are known to be over. */
function timeEnds({ since }: RoomRecord, scene: RoomScene): Instant {
  const last = later(since, longestSurge);
  const areOver = displacedOf(scene).every((one) => isOver(one, scene));
  return areOver ? earliest(last, scene.now) : last;
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
  const { at: begun, deadline } = draining.get(pod.node) ?? unmarked;
  // A deadline that is over may be that of an earlier drain, and the next one has more time.
  return deadline > now && deadline < never
    ? waitEnds(pod, { begun, deadline, budgetGrace: everyGrace }, settings)
    : never;
}

const unmarked: DrainMark = { at: never, deadline: never };
