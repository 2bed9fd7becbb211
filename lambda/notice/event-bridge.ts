import { timeField } from "../base/field.ts";
import { described } from "../base/malformed.ts";
import { read, within } from "../base/read.ts";
import { anyText, anything, record, text } from "../base/schema.ts";
import type { Instant } from "../base/time.ts";
import type { AnyNotice, Unrelated } from "./notice.ts";

const envelope = record({
  id: text("the id of an event", /^[\x21-\x7e]{1,255}$/),
  source: anyText("the source of an event"),
  "detail-type": anyText("the type of an event's detail"),
  time: timeField,
});

/** The id and the time in the envelope of an event. */
export interface SentEvent {
  readonly id: string;
  readonly since: Instant;
}

/** The events of one type. @see https://docs.aws.amazon.com/eventbridge/latest/ref/events.html */
export interface EventReader<N extends AnyNotice> {
  /** The source and the type of its detail, with a slash between them. */
  readonly event: string;
  notice(detail: unknown, path: string, sent: SentEvent): N;
}

/** Reads an event of EventBridge: a notice about instances, or an unrelated event. */
export function readEventBridgeEvent<N extends AnyNotice>(
  event: unknown,
  path: string,
  readers: readonly EventReader<N>[],
): N | Unrelated {
  const { id, source, "detail-type": type, time: since } = read(envelope, event, path);
  const reader = readers.find((one) => one.event === `${source}/${type}`);
  if (reader !== undefined) {
    const { detail } = read(record({ detail: anything }), event, path);
    return reader.notice(detail, within(path, ["detail"]), { id, since });
  }
  const reason = `${described(type)} of ${described(source)} asks for nothing`;
  return { kind: "unrelated", reason, since };
}
