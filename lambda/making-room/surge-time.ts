import { earliest, type Instant, later, latest, minutes, never, seconds } from "../base/time.ts";
import type { DrainSettings } from "../drain/drain-policy.ts";
import { type ForceTimes, forcedFrom } from "../drain/overdue.ts";
import type { Pod } from "../drain/pod.ts";
import { everyGrace } from "../drain/reason.ts";
import type { RoomRecord } from "./record.ts";
import { countsFrom, displacedOf, type RoomScene, readyOf } from "./room-scene.ts";
import type { Replica } from "./workload.ts";

// A surge without success is given up, with the reason, before the pod is deleted in spite of its budget.
const toGiveUp = seconds(-5);

/** When a drain goes on without room for a pod: directly before it forces that, or else at its deadline. */
export const goesOnAt = (
  pod: Pick<Pod, "grace">,
  times: ForceTimes,
  { force }: Pick<DrainSettings, "force">,
): Instant => (force === "never" ? times.deadline : later(forcedFrom(pod, times), toGiveUp));

// Somebody may take a cost away each time, or the API server refuse it, and new pods may fail again and again before they count.
const overtime = minutes(20);

/** Whether a surge has gone on for so long after its time that it waits for nothing more. */
export const isLongOver = ({ until }: RoomRecord, { now }: Pick<RoomScene, "now">): boolean =>
  now >= later(until, overtime);

/** Whether the time of a surge is over, or a drain with a nearer deadline than the one that has surged it goes on. */
export const isTimeUp = ({ until }: RoomRecord, { need, now }: RoomScene): boolean =>
  now >= earliest(until, need === "none" ? never : need.until);

/** Whether a surge waits for pods that are ready, and do not count yet. */
export const isSettling = (record: RoomRecord, scene: RoomScene): boolean =>
  youngIn(scene).length > 0 &&
  !isLongOver(record, scene) &&
  !(isTimeUp(record, scene) && isTooLate(scene));

/** Whether drains force all their pods before the new ones count. A budget counts these as soon as they are ready. */
export const isForced = (scene: RoomScene): boolean =>
  scene.settings.force !== "never" && isTooLate(scene);

/** The ready pods that do not count yet, and that no drain will move. */
const youngIn = (scene: RoomScene): readonly Replica[] =>
  readyOf(scene).filter(
    (one) => !scene.draining.has(one.pod.node) && scene.now < countsFrom(one, scene),
  );

/** Whether no drain waits until its new pods count. */
function isTooLate(scene: RoomScene): boolean {
  const count = latest(scene.now, ...youngIn(scene).map((one) => countsFrom(one, scene)));
  const displaced = displacedOf(scene).filter(({ pod }) => pod.ready);
  return displaced.every(({ pod }) => drainGoesOnAt(pod, scene) <= count);
}

/** When the drain of a pod's node goes on without room; of other drains as far as the marks of their nodes say. */
function drainGoesOnAt(pod: Pod, { need, draining, settings }: RoomScene): Instant {
  if (need !== "none" && need.node === pod.node) return need.until;
  const { at: begun, deadline } = draining.get(pod.node) ?? { at: never, deadline: never };
  return goesOnAt(pod, { begun, deadline, budgetGrace: everyGrace }, settings);
}
