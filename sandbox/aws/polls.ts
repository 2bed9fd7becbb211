import { type Duration, type Instant, later } from "../../lambda/base/time.ts";
import type { Cancel, Timeline } from "../timeline.ts";
import type { ReceivedMessage } from "./message.ts";

/** The request of a receiver. */
export interface ReceiveRequest {
  readonly max: number;
  readonly wait: Duration;
  /** The time for which the messages stay invisible to other receivers. */
  readonly visibility: Duration;
  /** Fires when the receiver has disconnected. */
  readonly gone: AbortSignal;
}

/** The queue that the receivers poll. */
export interface PolledQueue {
  take(request: ReceiveRequest): readonly ReceivedMessage[];
  /** When the next message becomes visible by itself; undefined if none will. */
  nextVisibleAt(): Instant | undefined;
}

interface Poll {
  readonly request: ReceiveRequest;
  readonly settle: (messages: readonly ReceivedMessage[]) => void;
}

/** The receivers that wait for messages of a queue. The first to come is served first. */
export class Polls {
  readonly #timeline: Timeline;
  readonly #queue: PolledQueue;
  readonly #polls = new Set<Poll>();
  #cancelAlarm: Cancel = () => undefined;

  constructor(timeline: Timeline, queue: PolledQueue) {
    this.#timeline = timeline;
    this.#queue = queue;
  }

  /** Waits until there are messages, the receiver's wait time is over, or the receiver is gone. */
  wait(request: ReceiveRequest): Promise<readonly ReceivedMessage[]> {
    const { promise, resolve } = Promise.withResolvers<readonly ReceivedMessage[]>();
    const giveUp = () => poll.settle([]);
    const end = later(this.#timeline.now(), request.wait);
    const cancel = this.#timeline.schedule(end, giveUp);
    const poll: Poll = {
      request,
      settle: (messages) => {
        cancel();
        request.gone.removeEventListener("abort", giveUp);
        this.#polls.delete(poll);
        resolve(messages);
      },
    };
    request.gone.addEventListener("abort", giveUp);
    this.#polls.add(poll);
    this.wake();
    return promise;
  }

  /** Hands out the visible messages, and sets an alarm for when the next one becomes visible. */
  wake(): void {
    for (const poll of this.#polls) {
      const messages = this.#queue.take(poll.request);
      if (messages.length > 0) poll.settle(messages);
    }
    this.#cancelAlarm();
    const next = this.#polls.size > 0 ? this.#queue.nextVisibleAt() : undefined;
    if (next !== undefined) this.#cancelAlarm = this.#timeline.schedule(next, () => this.wake());
  }
}
