import { randomUUID } from "node:crypto";
import {
  type Duration,
  earliest,
  hours,
  type Instant,
  later,
  seconds,
  wholeSeconds,
} from "../../lambda/base/time.ts";
import type { Timeline } from "../timeline.ts";
import type { Handled, Handling, Message, Outgoing, ReceivedMessage } from "./message.ts";
import { Polls, type ReceiveRequest } from "./polls.ts";
import { invalidReceipt, invalidValue, notInFlight } from "./sqs-errors.ts";

/** The content of a receipt handle, which stands for one receive of one message. */
interface Receipt {
  readonly messageId: string;
  readonly receives: number;
}

const prefix = "AQEB";

/** Writes a receipt handle. */
const receiptHandle = ({ messageId, receives }: Receipt): string =>
  prefix + Buffer.from(`${messageId}#${receives}`).toString("base64");

/** Reads a receipt handle; undefined if the text is not one. */
function tryReadReceipt(handle: string): Receipt | undefined {
  if (!handle.startsWith(prefix)) return undefined;
  const text = Buffer.from(handle.slice(prefix.length), "base64").toString();
  const [, messageId, receives] = /^([0-9a-f-]{36})#(\d+)$/.exec(text) ?? [];
  if (messageId === undefined || receives === undefined) return undefined;
  return { messageId, receives: Number(receives) };
}

/** The fate of messages that are received too often. */
export type Redrive =
  | { readonly kind: "none" }
  | { readonly kind: "dead-letters"; readonly to: Queue; readonly maxReceives: number };

/** The settings of a queue. */
export interface QueueSettings {
  readonly arn: string;
  readonly name: string;
  readonly visibility: Duration;
  readonly retention: Duration;
  readonly delay: Duration;
  readonly receiveWait: Duration;
  readonly redrive: Redrive;
}

/** A message may stay invisible for this long at most, counted from its receive. @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html */
const longestVisibility = hours(12);

/**
 * A standard queue, which delivers each message at least once.
 * SQS promises no order; the sandbox delivers the oldest message first.
 */
export class Queue {
  readonly settings: QueueSettings;
  readonly createdAt: Instant;
  readonly #timeline: Timeline;
  readonly #polls: Polls;
  #held: readonly Handled[] = [];

  constructor(timeline: Timeline, settings: QueueSettings) {
    this.#timeline = timeline;
    this.settings = settings;
    this.createdAt = timeline.now();
    this.#polls = new Polls(timeline, {
      take: (request) => this.#take(request),
      nextVisibleAt: () => this.#nextVisibleAt(),
    });
  }

  /** Every message in the queue, visible or not. */
  contents(): readonly Handled[] {
    const now = this.#timeline.now();
    const { retention } = this.settings;
    this.#held = this.#held.filter(({ message }) => later(message.sentAt, retention) > now);
    return this.#held;
  }

  send(outgoing: Outgoing, delay: Duration = this.settings.delay): Message {
    const now = this.#timeline.now();
    const message = { ...outgoing, id: randomUUID(), sentAt: now };
    const visibleAt = later(now, delay);
    const never = { receives: 0, firstReceivedAt: now, receivedAt: now, deadLetterOf: "" };
    this.#put({ message, handling: { ...never, visibleAt } });
    return message;
  }

  receive(request: ReceiveRequest): Promise<readonly ReceivedMessage[]> {
    const taken = this.#take(request);
    const done = taken.length > 0 || request.wait <= 0;
    return done ? Promise.resolve(taken) : this.#polls.wait(request);
  }

  /** Deletes a message by its newest receipt. An older receipt does nothing, without an error. */
  delete(handle: string): void {
    const { messageId, receives } = this.#read(handle);
    this.#held = this.#held.filter(
      ({ message, handling }) => message.id !== messageId || handling.receives !== receives,
    );
  }

  /** Makes a received message visible again after a timeout that begins now. */
  changeVisibility(handle: string, timeout: Duration): void {
    const count = wholeSeconds(timeout);
    if (timeout < 0 || timeout > longestVisibility)
      throw invalidValue("VisibilityTimeout", count, "Must be >= 0 and <= 43200, if provided.");
    const { message, handling } = this.#inFlight(handle);
    const visibleAt = later(this.#timeline.now(), timeout);
    if (visibleAt > later(handling.receivedAt, longestVisibility)) {
      const reason = "Total VisibilityTimeout for the message is beyond the limit [43200 seconds]";
      throw invalidValue("VisibilityTimeout", count, reason);
    }
    this.#replace({ message, handling: { ...handling, visibleAt } });
  }

  /** Every message that could be received now. */
  visible(): readonly Handled[] {
    const now = this.#timeline.now();
    return this.contents().filter(({ handling }) => handling.visibleAt <= now);
  }

  /** Sends a message to another queue, where it is a new one, and deletes it here. */
  move({ message }: Handled, to: Queue): void {
    this.#held = this.#held.filter((other) => other.message.id !== message.id);
    to.send(message);
  }

  /** Deletes every message, visible or not. */
  purge(): void {
    this.#held = [];
  }

  #put(handled: Handled): void {
    this.#held = [...this.#held, handled];
    this.#polls.wake();
  }

  #replace(handled: Handled): void {
    const { id } = handled.message;
    this.#held = this.#held.map((other) => (other.message.id === id ? handled : other));
    this.#polls.wake();
  }

  #read(handle: string): Receipt {
    const receipt = tryReadReceipt(handle);
    if (receipt === undefined) throw invalidReceipt(handle);
    return receipt;
  }

  #inFlight(handle: string): Handled {
    const { messageId, receives } = this.#read(handle);
    const held = this.contents().find(({ message }) => message.id === messageId);
    if (held?.handling.receives !== receives) {
      const reason = "Message does not exist or is not available for visibility timeout change.";
      throw invalidValue("ReceiptHandle", handle, reason);
    }
    if (held.handling.visibleAt <= this.#timeline.now()) throw notInFlight();
    return held;
  }

  #take({ max, visibility }: ReceiveRequest): readonly ReceivedMessage[] {
    this.#buryDead();
    const now = this.#timeline.now();
    const oldest = this.visible().slice(0, max);
    const taken = oldest.map(({ message, handling }) => {
      const receives = handling.receives + 1;
      const firstReceivedAt = receives === 1 ? now : handling.firstReceivedAt;
      const timing = { receivedAt: now, visibleAt: later(now, visibility) };
      return { message, handling: { ...handling, receives, firstReceivedAt, ...timing } };
    });
    const byId = new Map(taken.map((handled) => [handled.message.id, handled]));
    this.#held = this.#held.map((held) => byId.get(held.message.id) ?? held);
    return taken.map((handled) => ({
      ...handled,
      receipt: receiptHandle({
        messageId: handled.message.id,
        receives: handled.handling.receives,
      }),
    }));
  }

  /** Moves every visible message that has used up its receives to the dead-letter queue. */
  #buryDead(): void {
    const { redrive, arn } = this.settings;
    if (redrive.kind === "none") return;
    const now = this.#timeline.now();
    const isDead = ({ receives, visibleAt }: Handling): boolean =>
      visibleAt <= now && receives >= redrive.maxReceives;
    const dead = this.contents().filter(({ handling }) => isDead(handling));
    this.#held = this.#held.filter((held) => !dead.includes(held));
    for (const { message, handling } of dead)
      redrive.to.#put({ message, handling: { ...handling, visibleAt: now, deadLetterOf: arn } });
  }

  #nextVisibleAt(): Instant | undefined {
    const [first, ...rest] = this.#held.map(({ handling }) => handling.visibleAt);
    return first === undefined ? undefined : earliest(first, ...rest);
  }
}

/** The settings that SQS uses by default. */
export const queueDefaults = {
  visibility: seconds(30),
  retention: hours(4 * 24),
  delay: seconds(0),
  receiveWait: seconds(0),
  redrive: { kind: "none" },
} as const satisfies Partial<QueueSettings>;
