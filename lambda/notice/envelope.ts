import { has, read, readJson, within } from "../base/read.ts";
import { anyText, oneOf, record } from "../base/schema.ts";

/** Reads what a function works on from a value; a fault names the path of what does not fit. */
export type Reader<T> = (value: unknown, path: string) => T;

/** An SNS envelope as a queue gets it; a subscription to be confirmed comes in the same form. */
const envelope = record({ Type: oneOf("Notification"), Message: anyText("a text") });

/** Reads the body of a queue's message: JSON text, bare or in an SNS envelope. */
export function readBody<T>(text: string, path: string, reader: Reader<T>): T {
  return readEnclosed(readJson(text, path), path, reader);
}

/** Reads a value that is bare or in an SNS envelope. */
export function readEnclosed<T>(value: unknown, path: string, reader: Reader<T>): T {
  if (!has(value, "Message", "TopicArn")) return reader(value, path);
  return readMessage(read(envelope, value, path).Message, within(path, ["Message"]), reader);
}

/** Reads the message of an SNS notification. */
export function readMessage<T>(text: string, path: string, reader: Reader<T>): T {
  return reader(readJson(text, path), path);
}
