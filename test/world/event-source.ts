import { hours, type Instant, later } from "../../lambda/base/time.ts";
import type { ReceivedMessage } from "../../sandbox/aws/message.ts";
import type { Queue } from "../../sandbox/aws/queue.ts";
import type { EventSourceMapping } from "../../sandbox/lambda/event-source-mapping.ts";
import type { VirtualTimeline } from "../../sandbox/timeline.ts";

/** The queue and the mapping of an event source. */
export interface EventSourceEnds {
  readonly timeline: VirtualTimeline;
  readonly queue: Queue;
  readonly mapping: EventSourceMapping;
}

/** Polls a queue when the world says so, because virtual time stands still between its calls. */
export class EventSource {
  readonly #ends: EventSourceEnds;
  #inWork = 0;
  #failure: { readonly cause: unknown } | undefined;

  constructor(ends: EventSourceEnds) {
    this.#ends = ends;
  }

  /** Whether the queue is empty and the function works on no batch. */
  get done(): boolean {
    return this.#inWork === 0 && this.#ends.queue.contents().length === 0;
  }

  /** When the function can take the next message; an hour from now if there is none. */
  get nextVisible(): Instant {
    const { timeline, queue } = this.#ends;
    const now = timeline.now();
    const resting = queue.contents().map(({ handling }) => handling.visibleAt);
    return resting.filter((at) => at > now || !this.#full).reduce(earlier, later(now, hours(1)));
  }

  /**
   * Invokes the function with every message that is visible now. It throws the error of an earlier
   * invocation.
   */
  async invoke(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.cause;
    while (!this.#full) {
      const batch = await this.#ends.mapping.receive();
      if (batch.length === 0) return;
      void this.#work(batch);
    }
  }

  get #full(): boolean {
    return this.#inWork >= this.#ends.mapping.settings.maximumConcurrency;
  }

  async #work(batch: readonly ReceivedMessage[]): Promise<void> {
    this.#inWork += 1;
    try {
      await this.#ends.mapping.work(batch);
    } catch (cause) {
      this.#failure = { cause };
    } finally {
      this.#inWork -= 1;
    }
  }
}

const earlier = (one: Instant, other: Instant): Instant => (one < other ? one : other);
