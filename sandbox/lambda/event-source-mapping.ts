import type { MessageAttributeValue } from "@aws-sdk/client-sqs";
import { between, type Duration, later, seconds, shortest } from "../../lambda/base/time.ts";
import { bodyDigest, type ReceivedMessage, systemAttributes } from "../aws/message.ts";
import type { Queue } from "../aws/queue.ts";
import type { Timeline } from "../timeline.ts";
import type { Invocable, InvocationResult } from "./invocation.ts";

/** The reading of the function's response by a mapping. */
type ResponseReading = "all-or-nothing" | "report-batch-item-failures";

const none: ReadonlySet<string> = new Set();

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** Nothing, an empty object or an empty list of failures means that all messages succeeded. */
function named(payload: unknown, ids: readonly string[]): ReadonlySet<string> {
  const everything = new Set(ids);
  if (payload === null || payload === undefined) return none;
  if (typeof payload !== "object") return everything;
  const { batchItemFailures: failures = null }: { batchItemFailures?: unknown } = payload;
  if (failures === null) return none;
  if (!isList(failures)) return everything;
  const failed = failures.map((failure): unknown => Object(failure).itemIdentifier);
  const known = failed.filter((id) => typeof id === "string" && everything.has(id));
  return known.length === failed.length ? new Set(known.map(String)) : everything;
}

/**
 * Finds the messages of a batch that have failed, by the response of the function.
 *
 * The whole batch has failed if one identifier is empty, unknown or no text.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting
 */
export function failedMessages(
  result: InvocationResult,
  ids: readonly string[],
  reading: ResponseReading,
): ReadonlySet<string> {
  if (result.kind !== "ok") return new Set(ids);
  return reading === "all-or-nothing" ? none : named(result.payload, ids);
}

const attribute = ({ DataType, StringValue }: MessageAttributeValue) => ({
  stringValue: StringValue,
  stringListValues: [],
  binaryListValues: [],
  dataType: DataType,
});

function record(received: ReceivedMessage, queueArn: string): object {
  const { message, receipt } = received;
  const attributes = Object.entries(message.attributes);
  return {
    messageId: message.id,
    receiptHandle: receipt,
    body: message.body,
    attributes: systemAttributes(received),
    messageAttributes: Object.fromEntries(
      attributes.map(([name, value]) => [name, attribute(value)]),
    ),
    md5OfBody: bodyDigest(message.body),
    eventSource: "aws:sqs",
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(":")[3],
  };
}

/** Makes the event that a function gets for a batch of messages. @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html */
const sqsEvent = (batch: readonly ReceivedMessage[], { settings }: Queue): object => ({
  Records: batch.map((received) => record(received, settings.arn)),
});

/** The mapping of a queue to a function. */
export interface MappingSettings {
  readonly batchSize: number;
  /** The time in which a batch is gathered. With 0 seconds, a batch is what one receive returns. */
  readonly window: Duration;
  /** The most batches in work at the same time. */
  readonly maximumConcurrency: number;
  readonly responses: ResponseReading;
}

/** The queue and the function that a mapping connects. */
export interface MappingEnds {
  readonly timeline: Timeline;
  readonly queue: Queue;
  readonly target: Invocable;
}

/** Is called for each batch, after the function has answered. */
export type BatchListener = (batch: readonly ReceivedMessage[], result: InvocationResult) => void;

const longPoll = seconds(20);

/** Polls a queue for a function, as Lambda does. It deletes the messages that succeeded; the others become visible again. */
export class EventSourceMapping {
  readonly #ends: MappingEnds;
  readonly settings: MappingSettings;
  readonly #listeners: BatchListener[] = [];
  readonly #stopping = new AbortController();
  #pollers: readonly Promise<void>[] = [];

  constructor(ends: MappingEnds, settings: MappingSettings) {
    this.#ends = ends;
    this.settings = settings;
  }

  onBatch(listener: BatchListener): void {
    this.#listeners.push(listener);
  }

  start(): void {
    const { maximumConcurrency } = this.settings;
    this.#pollers = Array.from({ length: maximumConcurrency }, () => this.#poll());
  }

  /** Receives a batch of the messages that are visible now, without waiting, for a caller that polls on its own. */
  receive(): Promise<readonly ReceivedMessage[]> {
    return this.#receive(this.settings.batchSize, seconds(0));
  }

  /** Gives a batch to the function, and deletes the messages that succeeded. */
  async work(batch: readonly ReceivedMessage[]): Promise<void> {
    const { queue, target } = this.#ends;
    const result = await target.invoke(sqsEvent(batch, queue));
    const ids = batch.map(({ message }) => message.id);
    const failed = failedMessages(result, ids, this.settings.responses);
    for (const { message, receipt } of batch) if (!failed.has(message.id)) queue.delete(receipt);
    for (const listener of this.#listeners) listener(batch, result);
  }

  /** Stops to poll, and waits until the function has answered the batches that it has. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#pollers);
  }

  async #poll(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const batch = await this.#gather();
      if (batch.length > 0) await this.work(batch);
    }
  }

  async #gather(): Promise<readonly ReceivedMessage[]> {
    const { timeline } = this.#ends;
    const { batchSize, window } = this.settings;
    const batch = [...(await this.#receive(batchSize, longPoll))];
    const end = later(timeline.now(), window);
    const wanted = () => batch.length > 0 && batch.length < batchSize && timeline.now() < end;
    while (wanted() && !this.#stopping.signal.aborted) {
      const wait = shortest(longPoll, between(timeline.now(), end));
      batch.push(...(await this.#receive(batchSize - batch.length, wait)));
    }
    return batch;
  }

  #receive(count: number, wait: Duration): Promise<readonly ReceivedMessage[]> {
    const { queue } = this.#ends;
    const { signal: gone } = this.#stopping;
    if (gone.aborted) return Promise.resolve([]);
    const { visibility } = queue.settings;
    return queue.receive({ max: Math.min(count, 10), wait, visibility, gone });
  }
}
