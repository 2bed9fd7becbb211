import type { Labels } from "../base/labels.ts";
import {
  between,
  hours,
  type Instant,
  later,
  minutes,
  timestamp,
  tryInstantOf,
} from "../base/time.ts";
import { mostMore } from "./workload.ts";

/** On a workload, and on its autoscaler: what was changed there to make room, so that anybody can put it back. */
export const recordAnnotation = "eks-node-lifecycle/making-room";

/** Finds the workloads whose counts are higher for us, and says by which surge. */
export const recordLabel = "eks-node-lifecycle/making-room";

/**
 * The annotation that makes a ReplicaSet end this pod first.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/#pod-deletion-cost
 */
export const costAnnotation = "controller.kubernetes.io/pod-deletion-cost";

/** The lowest cost that Kubernetes accepts on all platforms. */
export const lowestCost = "-2147483647";

/** The cost of a pod of a surge that nobody needs: a displaced one ends before it. lambda/rights/node-fence.yaml has both. */
export const unneededCost = "-2147483646";

/** Whether a pod has one of the costs by which it ends with a surge. */
export const isCheap = (annotations: Labels): boolean =>
  [lowestCost, unneededCost].includes(annotations[costAnnotation] ?? "");

/** The change that made room, or a try that failed. */
export interface RoomRecord {
  /** `up` as long as the count is higher for us; `none` where that has ended; `lost` where somebody has taken the record away. */
  readonly phase: "lost" | "none" | "up";
  /** The count before, and the one that was written. */
  readonly was: number;
  readonly is: number;
  readonly since: Instant;
  /** Until when the drain that has begun the surge waits, or nothing is tried again. */
  readonly until: Instant;
  /** For which node and budget; or why there is no room. */
  readonly why: string;
}

const form =
  /^(up|none|lost): (\d{1,9}) to (\d{1,9}) since (\S+) until (\S+) for (.*?)(?: \[(\S{8})\])?$/s;
// An annotation is for people too.
const longestWhy = 280;

/** Writes a record as an annotation has it. */
export const recordText = ({ phase, was, is, since, until, why }: RoomRecord): string =>
  `${phase}: ${was} to ${is} since ${timestamp(since)} until ${timestamp(until)} for ${plain(why)}`;

/**
 * The value of the label with the text of this record: when it began, as far as a label can hold it. `kubectl rollout undo` brings the
 * records of older surges back, but no label.
 */
export const labelOf = (text: string): string => form.exec(text)?.[4]?.replaceAll(":", ".") ?? "";

/**
 * When a surge began or ended, by its record, and by the label. A record counts here also without the label, but not one
 * that no drain would have written.
 */
export function changesBy(text: string, label: string): readonly Instant[] {
  const record = tryRead(text)?.record;
  const isOurs = record !== undefined && record.is - record.was <= mostMore;
  return [isOurs ? record.since : [], tryBegan(label) ?? []].flat();
}

/** When the surge began that a label names. */
const tryBegan = (label: string): Instant | undefined =>
  tryInstantOf(label.replace(".", ":").replace(".", ":"));

/**
 * The end of an object's record, which makes a copy of it, such as one in an exported manifest, not
 * count.
 */
export const ofObject = (uid: string): string => `[${markOf(uid)}]`;

const markOf = (uid: string): string => uid.slice(0, 8);

/** A record as an object has it. */
interface RecordRead {
  readonly record: RoomRecord;
  /** The label of its surge. */
  readonly label: string;
  /** The beginning of the UID of the object that it was written to; empty where it names none. */
  readonly of: string;
}

/**
 * Whether a text is a record that counts at an object: with the label of the same surge, or the object's own note of a surge that has
 * ended.
 */
export function countsAt(text: string, object: { readonly label: string; readonly uid: string }) {
  const read = tryRead(text);
  if (read === undefined) return false;
  const isOwn = read.of === markOf(object.uid);
  const isNote = isOwn && read.record.phase !== "up";
  return (isOwn || read.of === "") && (isNote || read.label === object.label);
}

/**
 * Whether the label at an object is that of its own surge, also of one whose record is gone: a copy, as of an exported manifest, has the record of
 * another object's surge with it.
 */
export function isMarked(text: string, object: { readonly label: string; readonly uid: string }) {
  const read = tryRead(text);
  const isCopy = read?.record.phase === "up" && !["", markOf(object.uid)].includes(read.of);
  return tryBegan(object.label) !== undefined && !isCopy;
}

const plain = (why: string): string => why.replace(/[\p{C}\p{Z}]+/gu, " ").slice(0, longestWhy);

// No surge waits so long. lambda/rights/room-fence.yaml has these bounds too.
const longestRecord = hours(1);
const longestAhead = minutes(10);

/** Reads a time of a record. The admission policy reads no 31st of February, and no 24th hour. */
function tryTime(text: string): Instant | undefined {
  const at = tryInstantOf(text);
  return at !== undefined && timestamp(at).slice(0, toSeconds) === text.slice(0, toSeconds)
    ? at
    : undefined;
}

const toSeconds = "2026-11-20T10:00:00".length;

/** Reads the record of an object; `undefined` where there is none, or none that can be read. */
export const tryRecord = (annotations: Labels): RoomRecord | undefined =>
  tryRead(annotations[recordAnnotation] ?? "")?.record;

function tryRead(text: string): RecordRead | undefined {
  const [, phase, was, is, from = "", to = "", why = "", of = ""] = form.exec(text) ?? [];
  const times = tryTimes(from, to);
  if ((phase !== "up" && phase !== "none" && phase !== "lost") || times === undefined)
    return undefined;
  const record = { phase, was: Number(was), is: Number(is), ...times, why } as const;
  return phase !== "up" || record.is > record.was
    ? { record, label: labelOf(text), of }
    : undefined;
}

function tryTimes(from: string, to: string): Pick<RoomRecord, "since" | "until"> | undefined {
  const [since, until] = [tryTime(from), tryTime(to)];
  if (since === undefined || until === undefined || until < since) return undefined;
  return between(since, until) > longestRecord ? undefined : { since, until };
}

/** The record of an object at this time; `undefined` also where it begins in the future, which would keep it for ever. */
export function recordAt(now: Instant, annotations: Labels): RoomRecord | undefined {
  const record = tryRecord(annotations);
  return record !== undefined && record.since <= later(now, longestAhead) ? record : undefined;
}

/** The surge that an object records at this time. */
export function surgeAt(now: Instant, annotations: Labels): RoomRecord | undefined {
  const record = recordAt(now, annotations);
  return record?.phase === "up" ? record : undefined;
}

/** The surge that an object records; `undefined` if none. */
export function trySurge(annotations: Labels): RoomRecord | undefined {
  const record = tryRecord(annotations);
  return record?.phase === "up" ? record : undefined;
}
