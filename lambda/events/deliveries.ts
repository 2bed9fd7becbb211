import * as z from "zod/mini";
import type { Notice } from "../domain/notice/notice.ts";
import { Fault } from "../fault.ts";
import { record, text } from "../schema/field.ts";
import { malformed } from "../schema/malformed.ts";
import { has, read, within } from "../schema/read.ts";
import { readBody, readEnclosed, readMessage } from "./notice.ts";

/** One message as it arrived, with the notice in it, or with what is wrong with it. */
export type Delivery = QueueDelivery | DirectDelivery;

/** A message of the queue: the queue delivers it again unless it is done. */
export interface QueueDelivery {
  readonly via: "queue";
  readonly messageId: string;
  readonly receiptHandle: string;
  /** How often the queue has delivered it, this time included. */
  readonly receiveCount: number;
  /** The message as it was sent; the whole record where it has none. */
  readonly body: string;
  readonly noticed: Notice | Fault;
}

/** A message that came by no queue, such as a replayed event: nothing delivers it again. */
export interface DirectDelivery {
  readonly via: "direct";
  readonly messageId: string;
  readonly receiveCount: 1;
  readonly noticed: Notice | Fault;
}

const batch = record({
  Records: z.array(z.unknown(), "a list of records").check(z.minLength(1, "a list of records")),
});

const queueRecord = record({
  messageId: z.string("the id of a message"),
  receiptHandle: z.string("the handle of a receipt"),
});

const queueContent = record({ body: z.string("a text") });

/** Only a hint for how long the notice rests: a missing count is no reason to lose a notice. */
const receives = z.catch(
  z.pipe(
    record({
      attributes: record({
        ApproximateReceiveCount: text("a number of receives", /^[1-9]\d{0,8}$/),
      }),
    }),
    z.transform(({ attributes }) => Number(attributes.ApproximateReceiveCount)),
  ),
  1,
);

const topicRecord = record({
  Sns: record({ MessageId: z.string("the id of a message"), Message: z.string("a text") }),
});

/**
 * Reads every event that the function accepts: a batch of the queue, a saved SNS event, a bare notice.
 *
 * Each message is read for itself, so that a malformed one never harms its neighbours.
 */
export function deliveries(event: unknown): readonly Delivery[] {
  if (!has(event, "Records")) return [direct("event", () => readEnclosed(event, ""))];
  const records = attempt(() => read(batch, event, "").Records);
  if (records instanceof Fault) return [direct("event", () => records)];
  return records.map((entry, index) => delivery(entry, within("Records", [index])));
}

function delivery(entry: unknown, path: string): Delivery {
  if (has(entry, "Sns")) return published(entry, path);
  if (has(entry, "body", "receiptHandle")) return queued(entry, path);
  const expected = "a record of SQS (with a body) or of SNS (with Sns)";
  return direct(path, () => malformed(path, { expected, found: entry }));
}

function published(entry: unknown, path: string): Delivery {
  const content = attempt(() => read(topicRecord, entry, path).Sns);
  if (content instanceof Fault) return direct(path, () => content);
  const message = within(path, ["Sns", "Message"]);
  return direct(content.MessageId, () => readMessage(content.Message, message));
}

function queued(entry: unknown, path: string): Delivery {
  const address = attempt(() => read(queueRecord, entry, path));
  if (address instanceof Fault) return direct(path, () => address);
  const receiveCount = read(receives, entry, path);
  const content = attempt(() => read(queueContent, entry, path));
  if (content instanceof Fault) {
    const body = JSON.stringify(entry);
    return { via: "queue", ...address, receiveCount, body, noticed: content };
  }
  const { body } = content;
  const noticed = attempt(() => readBody(body, within(path, ["body"])));
  return { via: "queue", ...address, receiveCount, body, noticed };
}

function direct(messageId: string, reading: () => Notice | Fault): DirectDelivery {
  return { via: "direct", messageId, receiveCount: 1, noticed: attempt(reading) };
}

function attempt<T>(reading: () => T): T | Fault {
  try {
    return reading();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}
