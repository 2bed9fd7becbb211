import type { Duration } from "../base/time.ts";
import { ConnectionError } from "./lost-connection.ts";

/** Ends a call when its time is over, or earlier if the caller cancels it. */
export class TimeLimit {
  readonly signal: AbortSignal;
  readonly #timer: NodeJS.Timeout;

  constructor(limit: Duration, ...others: readonly (AbortSignal | undefined)[]) {
    const end = new AbortController();
    // An error takes its stack when it is made, which costs more than the rest of this.
    this.#timer = setTimeout(() => end.abort(overdue(limit)), limit);
    const given = others.filter((other) => other !== undefined);
    // Most calls have no other signal, and to follow one costs more than the timer.
    this.signal = given.length === 0 ? end.signal : AbortSignal.any([end.signal, ...given]);
  }

  /** Removes the limit for the rest of the call. */
  lift(): void {
    clearTimeout(this.#timer);
  }
}

const overdue = (limit: Duration): ConnectionError =>
  new ConnectionError(`no answer within ${limit} ms`, { reason: "timeout" });
