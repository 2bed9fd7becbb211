import type { V1ObjectMeta } from "@kubernetes/client-node";
import { Fault, faultOf } from "../base/fault.ts";
import { seconds } from "../base/time.ts";
import { recorded, recordLabel, tryRecord } from "../making-room/record.ts";
import type { Note } from "../notice/outcome.ts";
import { type AsSent, itemsIn, type PageSent } from "./as-sent.ts";
import { type CountingKind, countingOf, kinds } from "./counting.ts";
import type { KubeClient } from "./kube-connection.ts";
import { onlyOnce, tryRefusal } from "./kube-fault.ts";
import type { WatchQuery } from "./kube-watch.ts";
import { metadataOnly, readJson } from "./send-request.ts";

/** An object that has a record of ours. */
export interface RoomRef {
  readonly kind: CountingKind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Everybody who may write in a namespace may set our label there: so their objects are few, read as metadata, and judged one by one. */
export interface RoomRecords {
  readonly records: readonly RoomRef[];
  /** What was not looked at, and why. */
  readonly skipped: readonly Note[];
}

/** How long one answer may take: nobody waits long for what others have made large. */
export const longestAnswer = seconds(5);
// An object may have more than a megabyte of metadata.
const pageSize = 25;
const mostInNamespace = 50;
const mostInAll = 1000;
const mostRounds = 20;

/** The objects of all kinds with a record of ours. */
export async function roomRecords(client: KubeClient): Promise<RoomRecords> {
  const all = await Promise.all([
    recordsOf("Deployment", client),
    recordsOf("ReplicaSet", client),
    recordsOf("HorizontalPodAutoscaler", client),
    // Its definition is somebody else's.
    recordsOf("ScaledObject", client).catch(noneOfKeda),
  ]);
  return {
    records: all.flatMap(({ records }) => records),
    skipped: all.flatMap(({ skipped }) => skipped),
  };
}

/** A cluster without KEDA answers with a 404 that has no Status; a proxy that has lost the cluster would refuse the other lists too. */
function noneOfKeda(cause: unknown): RoomRecords {
  const isAbsent = cause instanceof Fault && tryRefusal(cause.cause)?.code === 404;
  return { records: [], skipped: isAbsent ? [] : [skippedNote("ScaledObjects", cause)] };
}

/** Lists one kind, and again without each namespace that has too many, of which the first ones count. */
async function recordsOf(kind: CountingKind, client: KubeClient): Promise<RoomRecords> {
  const crowded = new Map<string, readonly Sent[]>();
  for (;;) {
    const { items, isWhole } = await labelled(kind, [...crowded.keys()], client);
    const [over] = crowdedIn(items);
    if (over === undefined || crowded.size >= mostRounds)
      return judged(kind, { items: [...[...crowded.values()].flat(), ...items], isWhole, crowded });
    const first = items.filter((one) => namespaceOf(one) === over).slice(0, mostInNamespace);
    crowded.set(over, first);
  }
}

function labelled(kind: CountingKind, without: readonly string[], client: KubeClient) {
  const [group, plural] = kinds[kind];
  const fieldSelector = without.map((one) => `metadata.namespace!=${one}`).join();
  const query = {
    labelSelector: `${recordLabel} in (${recorded})`,
    ...(fieldSelector && { fieldSelector }),
  };
  const asked = { path: `/apis/${group}/${plural}`, query, accept: metadataOnly };
  return pagesUpTo<Sent>(mostInAll, asked, client, (items) => crowdedIn(items).length > 0);
}

interface Listed {
  readonly items: readonly Sent[];
  readonly isWhole: boolean;
  readonly crowded: ReadonlyMap<string, unknown>;
}

function judged(kind: CountingKind, { items, isWhole, crowded }: Listed): RoomRecords {
  const [, plural] = kinds[kind];
  const tooMany = Array.from(crowded.keys(), (one) =>
    tooManyIn(`namespace ${one}`, plural, mostInNamespace),
  );
  const more = isWhole ? [] : [tooManyIn("the cluster", plural, mostInAll)];
  const records = items.flatMap((one) => recordIn(kind, one));
  return { records, skipped: [...tooMany, ...more] };
}

interface Sent {
  readonly metadata?: AsSent<V1ObjectMeta>;
}

const namespaceOf = ({ metadata }: Sent): string => metadata?.namespace ?? "";

const crowdedIn = (items: readonly Sent[]): readonly string[] =>
  Array.from(Map.groupBy(items, namespaceOf))
    .filter(([, some]) => some.length > mostInNamespace)
    .map(([namespace]) => namespace);

const tooManyIn = (about: string, plural: string, most: number): Note => ({
  about,
  why: `more than ${most} ${plural} have the label ${recordLabel}; the others are looked at once these have lost it`,
});

/** What does not read as a record is none. */
function recordIn(kind: CountingKind, { metadata }: Sent): readonly RoomRef[] {
  const { namespace, name, uid, annotations } = countingOf(kind, metadata);
  return tryRecord(annotations) === undefined ? [] : [{ kind, namespace, name, uid }];
}

interface AskedList {
  readonly path: string;
  readonly query?: WatchQuery;
  readonly accept?: string;
}

/** The first objects of a list, in small pages; not whole if there are more, or if those that were read are enough. */
export async function pagesUpTo<T>(
  most: number,
  asked: AskedList,
  client: KubeClient,
  isEnough: (items: readonly AsSent<T>[]) => boolean = () => false,
): Promise<{ readonly items: readonly AsSent<T>[]; readonly isWhole: boolean }> {
  const items: AsSent<T>[] = [];
  let next = "";
  do {
    const page = await onePage<T>(asked, next, client);
    items.push(...itemsIn(asked.path, page));
    next = page.metadata?.continue ?? "";
  } while (next !== "" && items.length < most && !isEnough(items));
  return { items, isWhole: next === "" };
}

function onePage<T>(
  { path, query = {}, ...form }: AskedList,
  next: string,
  client: KubeClient,
): Promise<PageSent<T>> {
  const doing = `listing ${path}`;
  const asked = { ...query, limit: pageSize, continue: next === "" ? undefined : next };
  return client.ask(doing, (connection) =>
    readJson<PageSent<T>>(connection, path, { query: asked, limit: longestAnswer, ...form }).catch(
      onlyOnce(doing),
    ),
  );
}

/** A note of what could not be looked at. */
export const skippedNote = (about: string, cause: unknown): Note => ({
  about,
  why: faultOf(cause).message,
});
