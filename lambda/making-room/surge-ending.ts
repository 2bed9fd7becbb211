import { between, type Instant, later, minutes } from "../base/time.ts";
import { countsScale } from "../drain/budget.ts";
import type { RoomRecord } from "./record.ts";
import { recount } from "./recount.ts";
import { activeOf, displacedOf, type RoomScene, readyIn, spareAt } from "./room-scene.ts";
import type { ReportedChange } from "./room-step.ts";
import {
  haveComeBack,
  isEnoughElsewhere,
  isNewYoung,
  replacedBy,
  settlingIn,
  unservingIn,
} from "./stand-ins.ts";
import { isTimeUp, longestSurge } from "./surge-time.ts";

/** The end of a surge. `note` says why it should not be tried again soon; empty if it may be. */
export interface SurgeEnding extends Pick<ReportedChange, "stage" | "why"> {
  readonly note: string;
}

// A node autoscaler gets so much time to bring a node.
const placementWait = minutes(2);

/** Why a surge ends now that pods have to be moved; `undefined` while it goes on. */
export function tryEnd(record: RoomRecord, scene: RoomScene): SurgeEnding | undefined {
  // Where they are not ready yet, the drain evicts them, and their controller makes others.
  if (haveComeBack(record, scene)) return givenUp(cameBack);
  const { is } = record;
  const isMade =
    readyIn(scene) + unservingIn(record, scene) >= is || isEnoughElsewhere(record, scene);
  if (scene.workload.replicas === is && isMade) return madeBy(record);
  if (settlingIn(record, scene).length > 0) return undefined;
  return isDispensable(record, scene) ? allowed : tryGiveUp(record, scene);
}

/** Whether the budget would let all pods go now that wait for a surge, as where its owner has changed it since. If it were fewer, the others would lack their new pods. */
function isDispensable(record: RoomRecord, scene: RoomScene): boolean {
  const replaced = replacedBy(record, scene);
  const left = displacedOf(scene).filter((one) => one.pod.ready && !replaced.includes(one));
  return left.length > 0 && hasCounted(record, scene) && spareAt(record.was, scene) >= left.length;
}

/** Whether the budget has counted the pods of a surge, and expects no others: an ended pod of another workload makes it expect all of that, and lets none go. */
const hasCounted = ({ since }: RoomRecord, { need, workload, now }: RoomScene): boolean =>
  need !== "none" &&
  now >= later(since, recount) &&
  need.budgets.every(
    ({ rule, expectedPods }) => !countsScale(rule) || expectedPods === workload.replicas,
  );

function tryGiveUp(record: RoomRecord, scene: RoomScene): SurgeEnding | undefined {
  const { since, is } = record;
  if (isTimeUp(record, scene)) return endOfTime(record, scene);
  const isLate = (at: Instant): boolean => between(at, scene.now) >= placementWait;
  const active = activeOf(scene);
  // A pod may replace one that a drain has forced meanwhile.
  const unplaced = active.find(({ unplaced, pod }) => unplaced !== "" && isLate(pod.created));
  if (unplaced !== undefined) return givenUp(unplaced.unplaced);
  // Its controller replaces a pod a moment after that has begun to end, or, where a ResourceQuota counts it until then, has ended.
  const last = later(since, longestSurge);
  const ending = scene.replicas.filter(
    ({ pod: { termination: by } }) =>
      by.kind === "terminating" && !isLate(by.until < last ? by.until : by.since),
  );
  return isLate(since) && active.length + ending.length < is ? givenUp(notMade) : undefined;
}

/** The end of a surge whose time is over. Where no drain looks, the next one may begin another. */
function endOfTime(record: RoomRecord, scene: RoomScene): SurgeEnding {
  const ending = givenUp(isNewYoung(record, scene) ? tooYoung : notReady);
  return scene.need === "none" ? { ...ending, note: "" } : ending;
}

const notReady = "the new pod was not ready in time";
const tooYoung = "the new pod was not available in time, ready for its minReadySeconds";

const cameBack =
  "its new pods came up on nodes that are being drained, as where they tolerate every taint or get past the scheduler";

const notMade = "its controller made no pod, as where a ResourceQuota or a policy refuses one";

const allowed: SurgeEnding = {
  stage: "put back",
  why: "its budget lets its pods go by now",
  note: "",
};
export const notNeeded: SurgeEnding = { stage: "put back", why: "not needed", note: "" };
// The controller that has undone a surge would undo the next one too.
export const changed = (count: number, is: number): SurgeEnding => ({
  stage: "put back",
  why: "changed by somebody",
  note: count < is ? `somebody has set its count to ${count} meanwhile` : "",
});
export const givenUp = (why: string): SurgeEnding => ({ stage: "given up", why, note: why });
export const madeBy = ({ why }: RoomRecord): SurgeEnding => ({ stage: "made", why, note: "" });
