import { type Duration, type Instant, later } from "../../../lambda/domain/time.ts";
import type { Cancel, Timeline } from "../../timeline.ts";
import type { Received } from "./message.ts";

/** What a receiver asks for. */
export interface ReceiveRequest {
  readonly max: number;
  readonly wait: Duration;
  /** How long the messages stay invisible to others. */
  readonly visibility: Duration;
  /** Fires when the receiver has gone away. */
  readonly gone: AbortSignal;
}

/** The queue behind the polls. */
export interface PolledQueue {
  take(request: ReceiveRequest): readonly Received[];
  /** When the next message becomes visible by itself; undefined if none will. */
  nextVisibleAt(): Instant | undefined;
}

interface Poll {
  readonly request: ReceiveRequest;
  readonly settle: (messages: readonly Received[]) => void;
}

/** The receivers that wait at a queue, first come first served. */
export class Polls {
  readonly #timeline: Timeline;
  readonly #queue: PolledQueue;
  readonly #polls = new Set<Poll>();
  #cancelAlarm: Cancel = () => undefined;

  constructor(timeline: Timeline, queue: PolledQueue) {
    this.#timeline = timeline;
    this.#queue = queue;
  }

  /** Waits for messages, until there are some or the receiver's time is up. */
  wait(request: ReceiveRequest): Promise<readonly Received[]> {
    const { promise, resolve } = Promise.withResolvers<readonly Received[]>();
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

  /** Hands out what has become visible, and sets the alarm for what will. */
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
