import { Fault } from "../base/fault.ts";
import { malformed } from "../base/malformed.ts";
import { has, read, type Schema, within } from "../base/read.ts";
import { anyText, anything, made, orElse, record, someOf, text } from "../base/schema.ts";
import { between, type Instant, instant, never, seconds } from "../base/time.ts";
import { type Reader, readBody, readEnclosed, readMessage } from "./envelope.ts";
import {
  type Delivery,
  type DirectDelivery,
  firstReceivedAttribute,
  receivesAttribute,
} from "./queue.port.ts";
import { type Receives, receivesOfNotice } from "./renewal.ts";

const batch = record({
  Records: someOf(anything, "a list of records"),
});

const queueRecord = record({
  messageId: anyText("the id of a message"),
  receiptHandle: anyText("the handle of a receipt"),
});

const queueContent = record({ body: anyText("a text") });

/** A value in a record that is only a hint. The message is read even without it. */
const hint = <T>(form: Schema<T>, usual: NoInfer<T>, ...path: readonly string[]): Schema<T> =>
  orElse(
    path.reduceRight<Schema<T>>(
      (inner, name) => made(record({ [name]: inner }), (found) => found[name] ?? usual),
      form,
    ),
    usual,
  );

const number = (form: RegExp): Schema<number> => made(text("a number", form), Number);

const moment = number(/^\d{1,15}$/);

const ofMessage = hint(number(/^[1-9]\d{0,8}$/), 1, "attributes", "ApproximateReceiveCount");
const first = hint(moment, never, "attributes", "ApproximateFirstReceiveTimestamp");
// Of a role, its id and the name of the session; only SQS writes this.
const sender = hint(anyText("who has sent the message"), "", "attributes", "SenderId");

// An attribute that the function sets when it sends a fresh message for a notice.
const before = hint(number(/^\d{1,9}$/), 0, "messageAttributes", receivesAttribute, "stringValue");
const firstBefore = hint(moment, never, "messageAttributes", firstReceivedAttribute, "stringValue");

/**
 * The receive counts and times of a notice. What a message says of earlier messages counts if the
 * function's own role has sent it.
 */
function receivesOf(entry: unknown, path: string, roleId: string): Receives {
  const own = { ofMessage: read(ofMessage, entry, path), first: read(first, entry, path) };
  const isRenewed = roleId === "" || read(sender, entry, path).startsWith(`${roleId}:`);
  if (!isRenewed) return { ...own, before: 0, first: instant(own.first) };
  const earliest = Math.min(own.first, read(firstBefore, entry, path));
  return { ...own, before: read(before, entry, path), first: instant(earliest) };
}

const topicRecord = record({
  Sns: record({ MessageId: anyText("the id of a message"), Message: anyText("a text") }),
});

/** The reader of a function's messages. */
export interface Door<T> {
  readonly reader: Reader<T>;
  /** The id of the function's own role; empty if it is not known. */
  readonly roleId: string;
}

/**
 * Reads whatever may invoke the function: a batch of the queue, a saved SNS event, or a bare message.
 *
 * A message that cannot be read has a fault of its own, so that it does not harm the other messages.
 */
export function deliveries<T>(event: unknown, door: Door<T>): readonly Delivery<T>[] {
  const { reader } = door;
  if (!has(event, "Records")) return [direct("event", () => readEnclosed(event, "", reader))];
  const records = attempt(() => read(batch, event, "").Records);
  if (records instanceof Fault) return [direct("event", () => records)];
  return records.map((entry, index) => delivery(entry, within("Records", [index]), door));
}

// A batch is here within a moment of its receive.
const underway = seconds(2);

/** Whether a delivery proves that a clock is right: SQS says when it gave the message out first, which was a moment ago. */
export const vouchesFor = (now: Instant, delivery: Delivery<unknown>): boolean =>
  delivery.via === "queue" &&
  receivesOfNotice(delivery.receives) === 1 &&
  Math.abs(between(delivery.receives.first, now)) <= underway;

function delivery<T>(entry: unknown, path: string, door: Door<T>): Delivery<T> {
  if (has(entry, "Sns")) return published(entry, path, door.reader);
  if (has(entry, "body", "receiptHandle")) return queued(entry, path, door);
  const expected = "a record of SQS (with a body) or of SNS (with Sns)";
  return direct(path, () => malformed(path, expected, entry));
}

function published<T>(entry: unknown, path: string, reader: Reader<T>): Delivery<T> {
  const notification = attempt(() => read(topicRecord, entry, path).Sns);
  if (notification instanceof Fault) return direct(path, () => notification);
  const { MessageId, Message } = notification;
  return direct(MessageId, () => readMessage(Message, within(path, ["Sns", "Message"]), reader));
}

function queued<T>(entry: unknown, path: string, { reader, roleId }: Door<T>): Delivery<T> {
  const address = attempt(() => read(queueRecord, entry, path));
  if (address instanceof Fault) return direct(path, () => address);
  const receives = receivesOf(entry, path, roleId);
  const written = attempt(() => read(queueContent, entry, path));
  if (written instanceof Fault) {
    const body = JSON.stringify(entry);
    return { via: "queue", ...address, receives, body, content: written };
  }
  const { body } = written;
  const content = attempt(() => readBody(body, within(path, ["body"]), reader));
  return { via: "queue", ...address, receives, body, content };
}

function direct<T>(messageId: string, reading: () => T | Fault): DirectDelivery<T> {
  return { via: "direct", messageId, content: attempt(reading) };
}

function attempt<T>(reading: () => T): T | Fault {
  try {
    return reading();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}
