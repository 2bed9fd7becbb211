import type { Notice } from "../domain/notice/notice.ts";
import { malformed } from "../schema/malformed.ts";
import { has } from "../schema/read.ts";
import { readEventBridgeEvent } from "./event-bridge.ts";
import { readHookMessage } from "./hook.ts";

/** Reads a notice: a hook's message or an event of EventBridge, whose fields tell them apart. */
export function readNotice(value: unknown, path: string): Notice {
  if (has(value, "detail-type", "detail")) return readEventBridgeEvent(value, path);
  if (has(value, "LifecycleTransition", "LifecycleHookName", "Event"))
    return readHookMessage(value, path);
  const expected = "a lifecycle hook's message or an EventBridge event";
  throw malformed(path, { expected, found: value });
}
