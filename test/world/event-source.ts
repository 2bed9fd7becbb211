import { functionTimeoutSeconds } from "../../lambda/contract.ts";
import { hours, type Instant, later, seconds } from "../../lambda/domain/time.ts";
import type { Received } from "../../sandbox/aws/sqs/message.ts";
import type { Queue } from "../../sandbox/aws/sqs/queue.ts";
import type { VirtualTimeline } from "../../sandbox/timeline.ts";
import type { FunctionProcess } from "./function-process.ts";
import { visibility } from "./world-options.ts";

const batchSize = 10;
const mostProcesses = 10;

/** Hands the queue's messages to processes of the function as Lambda does, and deletes those that are done. */
export class EventSource {
  readonly #timeline: VirtualTimeline;
  readonly #queue: Queue;
  readonly #start: () => FunctionProcess;
  readonly #busy = new Set<FunctionProcess>();
  readonly #idle: FunctionProcess[] = [];
  #failure: { readonly cause: unknown } | undefined;

  constructor(timeline: VirtualTimeline, queue: Queue, start: () => FunctionProcess) {
    this.#timeline = timeline;
    this.#queue = queue;
    this.#start = start;
  }

  /** Whether nothing is being worked on, and nothing is left to be. */
  get done(): boolean {
    return this.#busy.size === 0 && this.#queue.contents().length === 0;
  }

  /** When the next message may be received: now, if it only has to be. */
  get nextVisible(): Instant {
    const full = this.#busy.size >= mostProcesses;
    const now = this.#timeline.now();
    const resting = this.#queue.contents().map(({ handling }) => handling.visibleAt);
    return resting.filter((at) => at > now || !full).reduce(earlier, later(now, hours(1)));
  }

  /** Invokes the function with every message that may be received now; throws what an invocation threw. */
  async invoke(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.cause;
    while (this.#busy.size < mostProcesses) {
      const batch = await this.#queue.receive({
        max: batchSize,
        wait: seconds(0),
        visibility,
        gone: new AbortController().signal,
      });
      if (batch.length === 0) return;
      void this.#run(batch);
    }
  }

  async #run(batch: readonly Received[]): Promise<void> {
    const process = this.#idle.pop() ?? this.#start();
    this.#busy.add(process);
    const timeout = later(this.#timeline.now(), seconds(functionTimeoutSeconds));
    const cancel = this.#timeline.schedule(timeout, () => process.life.end());
    process.life.onEnd(() => this.#busy.delete(process));
    try {
      this.#settle(batch, await process.answer(batch));
      this.#idle.push(process);
    } catch (cause) {
      this.#failure = { cause };
    } finally {
      cancel();
      this.#busy.delete(process);
    }
  }

  #settle(batch: readonly Received[], notDone: ReadonlySet<string>): void {
    for (const { message, receipt } of batch)
      if (!notDone.has(message.id)) this.#queue.delete(receipt);
  }
}

const earlier = (one: Instant, other: Instant): Instant => (one < other ? one : other);
