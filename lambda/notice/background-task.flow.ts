import type { Clock } from "../base/clock.port.ts";
import { type Instant, never } from "../base/time.ts";
import type { Wakeup } from "../base/wakeup.ts";

/** Work that recurs. */
export interface Recurring<T> {
  /** When the work is due next. */
  due(): Instant;
  work(): Promise<T>;
}

type TaskResult<T> = { readonly value: T } | { readonly cause: unknown };

/** Does recurring work in the background of a loop, so that a request that hangs does not stop the loop. */
export class BackgroundTask<T> {
  readonly #recurring: Recurring<T>;
  readonly #wakeup: Wakeup;
  readonly #clock: Clock;
  #state: "idle" | "under way" = "idle";
  #result: TaskResult<T> | undefined;

  constructor(recurring: Recurring<T>, wakeup: Wakeup, clock: Clock) {
    this.#recurring = recurring;
    this.#wakeup = wakeup;
    this.#clock = clock;
  }

  /** When to start the work next; never while the work is under way. */
  due(): Instant {
    return this.#state === "under way" ? never : this.#recurring.due();
  }

  /** Starts the work if it is due; the wakeup rings when the work is done. */
  start(): void {
    if (this.#clock.now() < this.due()) return;
    this.#state = "under way";
    void this.#run();
  }

  /** Returns a new result once; throws the error if the work failed. */
  take(): T | undefined {
    const result = this.#result;
    this.#result = undefined;
    if (result === undefined) return undefined;
    if ("cause" in result) throw result.cause;
    return result.value;
  }

  async #run(): Promise<void> {
    this.#result = await resultOf(this.#recurring);
    this.#state = "idle";
    this.#wakeup.notify();
  }
}

async function resultOf<T>(recurring: Recurring<T>): Promise<TaskResult<T>> {
  try {
    return { value: await recurring.work() };
  } catch (cause) {
    return { cause };
  }
}
