import * as z from "zod/mini";
import type { Notice } from "../domain/notice/notice.ts";
import { oneOf, record } from "../schema/field.ts";
import { malformed } from "../schema/malformed.ts";
import { has, read, readJson, within } from "../schema/read.ts";
import { readEventBridgeEvent } from "./event-bridge.ts";
import { readHookMessage } from "./hook.ts";

/** An SNS envelope as a queue gets it; a request to confirm a subscription has the same form. */
const envelope = record({ Type: oneOf("Notification"), Message: z.string("a text") });

/** Reads JSON text that is a notice, bare or in an SNS envelope. */
export function readBody(text: string, path: string): Notice {
  return readEnclosed(readJson(text, path), path);
}

/** Reads a notice that is bare or in an SNS envelope. */
export function readEnclosed(value: unknown, path: string): Notice {
  if (!has(value, "Message", "TopicArn")) return readNotice(value, path);
  return readMessage(read(envelope, value, path).Message, within(path, ["Message"]));
}

/** Reads the message of an SNS notification. */
export function readMessage(text: string, path: string): Notice {
  return readNotice(readJson(text, path), path);
}

/** Tells a hook's message from an event of EventBridge by the fields that only one of them has. */
function readNotice(value: unknown, path: string): Notice {
  if (has(value, "detail-type", "detail")) return readEventBridgeEvent(value, path);
  if (has(value, "LifecycleTransition", "LifecycleHookName", "Event"))
    return readHookMessage(value, path);
  const expected = "a lifecycle hook's message or an EventBridge event";
  throw malformed(path, { expected, found: value });
}
