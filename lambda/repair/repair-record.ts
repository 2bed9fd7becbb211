import { type InstanceId, instanceId } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import { type Instant, timestamp, tryInstantOf } from "../base/time.ts";
import type { GroupInstance } from "../group/scaling-group.ts";
import type { Illness } from "./illness.ts";

/** The prefix of the tags that record a group's repairs. The id of the instance follows. */
export const recordPrefix = "eks-node-lifecycle/repaired/";

/** A repair that has begun. */
export interface RepairRecord {
  readonly instance: InstanceId;
  readonly at: Instant;
  readonly action: "reboot" | "replace";
  /** Such as `Ready/KubeletNotReady`. */
  readonly cause: string;
  /** The launch template version of the instance, such as `lt-0123456789abcdef0:3`. */
  readonly version: string;
  /** The position in a row of repairs: each replaces the replacement before it, for the same cause. */
  readonly inRow: number;
  /** The instance that replaced it. */
  readonly by: InstanceId | "nobody-yet";
}

const longestCause = 120;

// Auto Scaling allows few characters in a tag, and spaces separate the words of a record.
const word = (text: string): string => text.replace(/[^\w.:/=+@-]+/g, "_");

/** The illness as one word that is allowed in a tag. */
export const causeText = ({ condition, reason }: Pick<Illness, "condition" | "reason">): string =>
  word(reason === "" ? condition : `${condition}/${reason}`).slice(0, longestCause);

/** The launch template version of an instance, in one word. */
export const versionText = ({ source }: Pick<GroupInstance, "source">): string =>
  source === "configuration" ? source : `${source.template}:${source.version}`;

export const recordTag = (record: RepairRecord): readonly [key: string, value: string] => {
  const { instance, at, action, cause, version, inRow, by } = record;
  const words = [timestamp(at), action, cause, version, inRow];
  const all = by === "nobody-yet" ? words : [...words, "by", by];
  return [`${recordPrefix}${instance}`, all.join(" ")];
};

/** The records of a group, the newest first, without tags that cannot be read. */
export const recordsIn = (tags: Labels): readonly RepairRecord[] =>
  Object.entries(tags)
    .flatMap(([key, value = ""]) => tryRecord(key, value) ?? [])
    .toSorted((a, b) => b.at - a.at || (a.instance < b.instance ? -1 : 1));

/** The keys of tags that have the prefix of records and cannot be read as one. Others have written or changed them. */
export const unreadableRecords = (tags: Labels): readonly string[] =>
  Object.entries(tags)
    .filter(([key, value = ""]) => key.startsWith(recordPrefix) && !tryRecord(key, value))
    .map(([key]) => key);

function tryRecord(key: string, value: string): RepairRecord | undefined {
  if (!key.startsWith(recordPrefix)) return undefined;
  const form = /^(\S+) (reboot|replace) (\S+) (\S+) ([1-9]\d{0,3})(?: by (i-[\da-f]+))?$/;
  const [, time = "", action, cause = "", version = "", inRow, by] = form.exec(value) ?? [];
  const at = tryInstantOf(time);
  if (at === undefined) return undefined;
  return {
    instance: instanceId(key.slice(recordPrefix.length)),
    at,
    action: action === "reboot" ? "reboot" : "replace",
    cause,
    version,
    inRow: Number(inRow),
    by: by === undefined ? "nobody-yet" : instanceId(by),
  };
}
