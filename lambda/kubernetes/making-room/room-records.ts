import type { V1ObjectMeta } from "@kubernetes/client-node";
import { Fault, faultOf } from "../../base/fault.ts";
import { type Instant, later, seconds } from "../../base/time.ts";
import { megabyte } from "../../http/long-answer.ts";
import type { RoomRecords } from "../../making-room/making-room.port.ts";
import { recordLabel, tryRecord } from "../../making-room/record.ts";
import type { RoomRef } from "../../making-room/workload.ts";
import type { Note } from "../../notice/outcome.ts";
import type { AsSent } from "../as-sent.ts";
import { type ListTools, partOf } from "../bounded-list.ts";
import { tryRefusal } from "../kube-fault.ts";
import { metadataOnly } from "../send-request.ts";
import { type CountingKind, countingOf, kinds } from "./counting.ts";

const pageSize = 25;
const mostInNamespace = 50;
// Fifty objects have some 200 kB of metadata, and one alone may have 9 MB.
const mostBytesInNamespace = 2 * megabyte;
const mostInAll = 1000;
const mostBytes = 64 * megabyte;
const mostOfPage = 16 * megabyte;
const mostRounds = 20;
const longestLook = seconds(20);

/**
 * The objects of all kinds with a record of ours. Everybody who may write in a namespace may set our label there: so they
 * are read as metadata, few of each namespace, and judged one by one.
 */
export async function roomRecords(tools: ListTools): Promise<RoomRecords> {
  const ends = later(tools.clock.now(), longestLook);
  // One kind after the other, so that few of them are in memory at once.
  const all = [
    await recordsOf("Deployment", ends, tools),
    await recordsOf("ReplicaSet", ends, tools),
    await recordsOf("HorizontalPodAutoscaler", ends, tools),
    // Its definition is somebody else's.
    await recordsOf("ScaledObject", ends, tools).catch(noneOfKeda),
  ];
  return {
    records: all.flatMap(({ records }) => records),
    skipped: all.flatMap(({ skipped }) => skipped),
  };
}

function noneOfKeda(cause: unknown): RoomRecords {
  const skipped = isWithoutKeda(cause) ? [] : [skippedNote("ScaledObjects", cause)];
  return { records: [], skipped };
}

/** A cluster without KEDA answers with a 404 that has no Status; a proxy that has lost the cluster would refuse other reads too. */
export const isWithoutKeda = (cause: unknown): boolean =>
  cause instanceof Fault && tryRefusal(cause.cause)?.code === 404;

/** Lists one kind, and again without each namespace that has too many, of which the first ones count. */
async function recordsOf(
  kind: CountingKind,
  ends: Instant,
  tools: ListTools,
): Promise<RoomRecords> {
  const crowded = new Map<string, readonly Labelled[]>();
  for (;;) {
    const { items, cut } = await labelled(kind, [...crowded.keys()], tools);
    const over = crowdedIn(items);
    const isOver = crowded.size >= mostRounds || tools.clock.now() >= ends;
    if (over.length === 0 || isOver)
      return judged(kind, [...[...crowded.values()].flat(), ...items], cut, crowded);
    for (const namespace of over)
      crowded.set(
        namespace,
        items.filter((one) => one.namespace === namespace).slice(0, mostInNamespace),
      );
  }
}

/** An object with our label. */
interface Labelled {
  readonly namespace: string;
  readonly bytes: number;
  /** None where its annotation does not read as a record, and its label not as that of a lost one. */
  readonly records: readonly RoomRef[];
}

function labelled(kind: CountingKind, without: readonly string[], tools: ListTools) {
  const [group, plural] = kinds[kind];
  const fieldSelector = without.map((one) => `metadata.namespace!=${one}`).join();
  const query = {
    labelSelector: recordLabel,
    ...(fieldSelector && { fieldSelector }),
  };
  return partOf<Sent, Labelled>(
    {
      path: `/apis/${group}/${plural}`,
      query,
      accept: metadataOnly,
      pageSize,
      most: mostInAll,
      mostBytes,
      mostOfPage,
      itemsOf: (sent) => [labelledOf(kind, sent)],
      isEnough: (items) => crowdedIn(items).length > 0,
    },
    tools,
  );
}

interface Sent {
  readonly metadata?: AsSent<V1ObjectMeta>;
}

/** Reads a labelled object; one that has neither a record nor lost its own is none. */
function labelledOf(kind: CountingKind, sent: Sent): Labelled {
  const { namespace, name, uid, annotations, isLabelled } = countingOf(kind, sent.metadata);
  // Nobody brings back the record of an autoscaler.
  const isLost = isLabelled && (kind === "Deployment" || kind === "ReplicaSet");
  const isRecorded = isLost || tryRecord(annotations) !== undefined;
  const records = isRecorded ? [{ kind, namespace, name, uid }] : [];
  return { namespace, bytes: JSON.stringify(sent).length, records };
}

function judged(
  kind: CountingKind,
  items: readonly Labelled[],
  cut: string,
  crowded: ReadonlyMap<string, unknown>,
): RoomRecords {
  const [, plural] = kinds[kind];
  const tooMany = Array.from(crowded.keys(), (namespace) => ({
    about: `namespace ${namespace}`,
    why: `more than ${mostInNamespace} ${plural}, or ${mostBytesInNamespace / megabyte} MB of them, have the label ${recordLabel}; the others are looked at once these have lost it`,
  }));
  const more = {
    about: "the cluster",
    why: `not all ${plural} with the label ${recordLabel} were looked at: ${cut}`,
  };
  const records = items.flatMap((one) => one.records);
  return { records, skipped: cut === "" ? tooMany : [...tooMany, more] };
}

const crowdedIn = (items: readonly Labelled[]): readonly string[] =>
  Array.from(Map.groupBy(items, ({ namespace }) => namespace))
    .filter(([, some]) => some.length > mostInNamespace || bytesOf(some) > mostBytesInNamespace)
    .map(([namespace]) => namespace);

const bytesOf = (some: readonly Labelled[]): number =>
  some.reduce((sum, { bytes }) => sum + bytes, 0);

/** A note of what could not be looked at. */
export const skippedNote = (about: string, cause: unknown): Note => ({
  about,
  why: faultOf(cause).message,
});
