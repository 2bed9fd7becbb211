import type { Duration } from "../../domain/time.ts";
import { ConnectionError } from "./connection-error.ts";

/** Ends a call when its time is over, or when somebody calls it off first. */
export class TimeLimit {
  readonly signal: AbortSignal;
  readonly #timer: NodeJS.Timeout;

  constructor(limit: Duration, ...others: readonly (AbortSignal | undefined)[]) {
    const end = new AbortController();
    const reason = new ConnectionError(`no answer within ${limit} ms`, { reason: "timeout" });
    this.#timer = setTimeout(() => end.abort(reason), limit);
    this.signal = AbortSignal.any([end.signal, ...others.filter((other) => other !== undefined)]);
  }

  /** Lets the call take as long as it likes from now on. */
  lift(): void {
    clearTimeout(this.#timer);
  }
}
