import { Fault } from "../fault.ts";
import type { Delivery, DirectDelivery } from "../ports/delivery.ts";
import { receivesAttribute } from "../ports/inbox.ts";
import { malformed } from "../schema/malformed.ts";
import { has, read, within } from "../schema/read.ts";
import { anyText, anything, made, orElse, record, someOf, text } from "../schema/schema.ts";
import { type Reader, readBody, readEnclosed, readMessage } from "./envelope.ts";

const batch = record({
  Records: someOf(anything, "a list of records"),
});

const queueRecord = record({
  messageId: anyText("the id of a message"),
  receiptHandle: anyText("the handle of a receipt"),
});

const queueContent = record({ body: anyText("a text") });

/** A hint for how long to rest. A message is read even when its queue does not count. */
const ofMessage = orElse(
  made(
    record({
      attributes: record({
        ApproximateReceiveCount: text("a number of receives", /^[1-9]\d{0,8}$/),
      }),
    }),
    ({ attributes }) => Number(attributes.ApproximateReceiveCount),
  ),
  1,
);

/** What the function itself has said when it sent a fresh message for a notice. */
const before = orElse(
  made(
    record({
      messageAttributes: record({
        [receivesAttribute]: record({ stringValue: text("a number of receives", /^\d{1,9}$/) }),
      }),
    }),
    ({ messageAttributes: { [receivesAttribute]: receives } }) => Number(receives?.stringValue),
  ),
  0,
);

const topicRecord = record({
  Sns: record({ MessageId: anyText("the id of a message"), Message: anyText("a text") }),
});

/**
 * Reads whatever may invoke the function: a batch of the queue, a saved SNS event, or a bare message.
 *
 * A message that cannot be read has a fault of its own, so that it does not harm the other messages.
 */
export function deliveries<T>(event: unknown, reader: Reader<T>): readonly Delivery<T>[] {
  if (!has(event, "Records")) return [direct("event", () => readEnclosed(event, "", reader))];
  const records = attempt(() => read(batch, event, "").Records);
  if (records instanceof Fault) return [direct("event", () => records)];
  return records.map((entry, index) => delivery(entry, within("Records", [index]), reader));
}

function delivery<T>(entry: unknown, path: string, reader: Reader<T>): Delivery<T> {
  if (has(entry, "Sns")) return published(entry, path, reader);
  if (has(entry, "body", "receiptHandle")) return queued(entry, path, reader);
  const expected = "a record of SQS (with a body) or of SNS (with Sns)";
  return direct(path, () => malformed(path, { expected, found: entry }));
}

function published<T>(entry: unknown, path: string, reader: Reader<T>): Delivery<T> {
  const notification = attempt(() => read(topicRecord, entry, path).Sns);
  if (notification instanceof Fault) return direct(path, () => notification);
  const { MessageId, Message } = notification;
  return direct(MessageId, () => readMessage(Message, within(path, ["Sns", "Message"]), reader));
}

function queued<T>(entry: unknown, path: string, reader: Reader<T>): Delivery<T> {
  const address = attempt(() => read(queueRecord, entry, path));
  if (address instanceof Fault) return direct(path, () => address);
  const receives = { ofMessage: read(ofMessage, entry, path), before: read(before, entry, path) };
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
