import { timeField } from "../base/field.ts";
import { malformed } from "../base/malformed.ts";
import { has, read } from "../base/read.ts";
import { oneOf, record } from "../base/schema.ts";
import { readEventBridgeEvent } from "./event-bridge.ts";
import { readHookMessage } from "./hook.ts";
import type { Notice } from "./notice.ts";

/** Reads a notice: a hook's message or an event of EventBridge, which differ in their fields. */
export function readNotice(value: unknown, path: string): Notice {
  if (has(value, "detail-type", "detail")) return readEventBridgeEvent(value, path);
  if (has(value, "LifecycleTransition", "LifecycleHookName", "Event"))
    return readHookMessage(value, path);
  if (has(value, "kind", "time")) return readPutBack(value, path);
  const expected = "a lifecycle hook's message or an EventBridge event";
  throw malformed(path, { expected, found: value });
}

const putBack = record({ kind: oneOf("put-back"), time: timeField });

/** Reads the message of the schedule, such as `{"kind": "put-back", "time": "2026-11-20T10:00:00Z"}`. */
function readPutBack(value: unknown, path: string): Notice {
  const { kind, time: since } = read(putBack, value, path);
  return { kind, since };
}
