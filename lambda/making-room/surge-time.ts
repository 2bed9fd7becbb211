import { earliest, type Instant, later, minutes, never, seconds } from "../base/time.ts";
import type { DrainSettings } from "../drain/drain-policy.ts";
import { type ForceTimes, forcedFrom } from "../drain/overdue.ts";
import type { Pod } from "../drain/pod.ts";
import { everyGrace } from "../drain/reason.ts";
import type { RoomRecord } from "./record.ts";
import type { DrainMark, KnownDrain, RoomScene } from "./room-scene.ts";

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

/** A drain as far as this one knows it. */
interface SeenDrain extends Pick<KnownDrain, "until"> {
  readonly force: KnownDrain["force"] | "unknown";
}

/**
 * How long the drain of a pod's node waits for room, and whether it forces the pod then; of others as far as this process or the marks of their nodes say.
 * One whose mark alone is known forces its pods if this one does, and perhaps also if not.
 */
export function drainOf(pod: Pod, { need, draining, settings, now }: RoomScene): SeenDrain {
  const { force } = settings;
  if (need !== "none" && need.node === pod.node) return { until: need.until, force };
  const { at: begun, deadline, drain } = draining.get(pod.node) ?? unmarked;
  if (drain !== undefined) return drain;
  // A deadline that is over may be that of an earlier drain, and the next one has more time.
  const until =
    deadline <= now ? never : waitEnds(pod, { begun, deadline, budgetGrace: everyGrace }, settings);
  return { until, force: force === "never" ? "unknown" : force };
}

const unmarked: DrainMark = { at: never, deadline: never };
