import type { Dated } from "../../journal/entry.ts";
import type { InstanceId } from "../../lambda/base/ids.ts";
import { between, type Instant, never, wholeSeconds } from "../../lambda/base/time.ts";
import { markedAtAnnotation, tryWrittenAt } from "../../lambda/drain/marking.ts";
import { type Node, runsOn } from "../../lambda/drain/node.ts";
import type { ClusterStatus, HeldInstanceStatus } from "./status-schema.ts";

/** The progress of the lifecycle action that holds an instance, by the function's log. */
export interface UnderWay {
  readonly heartbeatAgeSeconds: number | null;
  /** The number of passes that have started with it. */
  readonly passes: number;
  /** The code of the last fault that one of them met; empty if none did. */
  readonly lastFault: string;
  /** True if the last pass met that fault. */
  readonly isStopped: boolean;
  /** Why the function has ignored the last notice of its hooks; empty if it has not. */
  readonly ignoredFor: string;
}

/**
 * Reads what the log has of an instance's present lifecycle action. Entries of an action that is done, such as its
 * launch, do not count.
 */
export function underWay(
  instance: InstanceId,
  hooks: readonly string[],
  { entries, now }: { readonly entries: readonly Dated[]; readonly now: Instant },
): UnderWay {
  const all = entries.filter((entry) => entry.instance === instance);
  const done = new Set(all.flatMap(({ kind, token }) => (kind === "notice-done" ? [token] : [])));
  const own = all.filter(({ token }) => !done.has(token));
  const beat = own.findLast((entry) => entry.kind === "heartbeat" && hooks.includes(entry.hook));
  const fault = own.findLast((entry) => entry.kind === "fault");
  return {
    heartbeatAgeSeconds: beat === undefined ? null : wholeSeconds(between(beat.at, now)),
    passes: own.filter(({ kind }) => kind === "pass-started").length,
    lastFault: fault?.code ?? "",
    isStopped:
      own.findLast(({ kind }) => kind === "fault" || kind === "pass-started") === fault &&
      fault !== undefined,
    ignoredFor: ignoredFor(all),
  };
}

/** Why the last notice of a hook was ignored. One that no action confirmed was not of the action that holds the instance. */
function ignoredFor(entries: readonly Dated[]): string {
  const done = entries.flatMap((entry) =>
    entry.kind === "notice-done" && entry.token !== undefined ? [entry.outcome] : [],
  );
  const last = done.at(-1);
  return last?.kind === "ignored" && last.why !== "not held" ? last.reason : "";
}

/** True if the function has ended an action of these hooks that held the instance, and is at no other one of them, by its log. */
export function hasLetGo(
  instance: InstanceId,
  hooks: readonly string[],
  entries: readonly Dated[],
): boolean {
  const all = entries.filter((entry) => entry.instance === instance);
  const done = new Set(all.flatMap(({ kind, token }) => (kind === "notice-done" ? [token] : [])));
  const own = all.filter((entry) => entry.kind === "heartbeat" && hooks.includes(entry.hook));
  return own.length > 0 && all.every(({ token }) => token === undefined || done.has(token));
}

/** True if the drain of a marked node is over, by the log: a notice of it is done since then, and none is under way. */
export function isDone(node: Node, entries: readonly Dated[]): boolean {
  const marked = tryWrittenAt(node, markedAtAnnotation) ?? never;
  const own = entries.filter(({ instance }) => instance !== undefined && runsOn(node, instance));
  const ends = own.filter(({ kind }) => kind === "notice-done");
  const done = new Set(ends.map(({ messageId }) => messageId));
  return (
    ends.some(({ at }) => at >= marked) &&
    own.every(({ kind, messageId }) => kind !== "pass-started" || done.has(messageId))
  );
}

/** The last refused request for each pod of a node, by the pod's title. */
export const refusalsOn = (node: Node, entries: readonly Dated[]): Refusals =>
  new Map(
    entries.flatMap((entry) =>
      entry.kind === "pod-refused" && entry.instance !== undefined && runsOn(node, entry.instance)
        ? [[entry.pod, entry]]
        : [],
    ),
  );

export type Refusals = ReadonlyMap<string, Refusal>;

/** A refused eviction, as the function's log has it. */
export type Refusal = Extract<Dated, { readonly kind: "pod-refused" }>;

/** Where the notice of a held instance is, by the passes over it and the messages of the queues. */
export function noticeOf(
  { passes, ignoredFor: why }: Pick<HeldInstanceStatus, "ignoredFor" | "passes">,
  queue: ClusterStatus["queue"],
): HeldInstanceStatus["notice"] {
  if (passes !== 0) return passes === null ? "unknown" : "received";
  return why === "" ? noticeIn(queue) : "ignored";
}

/** Where the notice of an instance is with which no pass has begun. */
function noticeIn(queue: ClusterStatus["queue"]): HeldInstanceStatus["notice"] {
  const { waiting, inFlight, dead } = queue ?? unread;
  if (waiting === null || inFlight === null || dead === null) return "unknown";
  if (waiting + inFlight > 0) return "queued";
  return dead > 0 ? "dead" : "lost";
}

const unread = { waiting: null, inFlight: null, dead: null };
