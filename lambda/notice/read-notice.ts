import { timeField } from "../base/field.ts";
import { malformed } from "../base/malformed.ts";
import { has, read } from "../base/read.ts";
import { field, record } from "../base/schema.ts";
import type { Instant } from "../base/time.ts";
import type { Reader } from "./envelope.ts";
import { type EventReader, readEventBridgeEvent } from "./event-bridge.ts";
import { type HookReader, readHeld, readHookMessage } from "./hook.ts";
import type { AnyNotice, Test, Unrelated } from "./notice.ts";

/** The messages of one kind that a schedule sends. */
export interface ScheduledReader<N extends AnyNotice> {
  readonly kind: string;
  notice(since: Instant): N;
}

/** Makes what reads a notice: a hook's message, an event of EventBridge, or a message of a schedule, which differ in their fields. */
export function noticeReader<N extends AnyNotice>({
  hooks,
  events,
  scheduled,
}: {
  readonly hooks: readonly HookReader<N>[];
  readonly events: readonly EventReader<N>[];
  readonly scheduled: readonly ScheduledReader<N>[];
}): Reader<N | Test | Unrelated> {
  const all = [...hooks.map(eventReaderOf), ...events];
  return (value, path) => {
    if (has(value, "detail-type", "detail")) return readEventBridgeEvent(value, path, all);
    if (has(value, "LifecycleTransition", "LifecycleHookName", "Event"))
      return readHookMessage(value, path, hooks);
    if (has(value, "kind", "time")) return readScheduled(value, path, scheduled);
    const expected = "a lifecycle hook's message or an EventBridge event";
    throw malformed(path, expected, value);
  };
}

const eventReaderOf = <N extends AnyNotice>(hook: HookReader<N>): EventReader<N> => ({
  event: `aws.autoscaling/${hook.event}`,
  notice: (detail, path, { since }) => readHeld(detail, path, hook, since),
});

function readScheduled<N extends AnyNotice>(
  value: unknown,
  path: string,
  readers: readonly ScheduledReader<N>[],
): N {
  const kinds = readers.map(({ kind }) => kind).join(" or ");
  const named = field(kinds, (found) => readers.find(({ kind }) => kind === found));
  const { kind: reader, time } = read(record({ kind: named, time: timeField }), value, path);
  return reader.notice(time);
}
