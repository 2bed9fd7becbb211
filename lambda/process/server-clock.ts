import type { Clock, LearningClock } from "../base/clock.port.ts";
import {
  between,
  type Duration,
  type Instant,
  instant,
  later,
  milliseconds,
  tryInstantOf,
} from "../base/time.ts";
import type { Wakeup } from "../base/wakeup.ts";

// https://www.rfc-editor.org/rfc/rfc9110#name-date-time-formats
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
// The `Date` of an answer has no fractions of a second.
const granularity = milliseconds(1000);

/**
 * The time of the servers: the clock of this computer, and how far the servers' clock is ahead of it.
 *
 * Stamps of the API server and of AWS compare with it, and what the product writes for other processes is in it. An answer
 * moves it only as far as its `Date` proves it wrong. Until the first answer it is the clock of this computer. What the
 * API server says counts more than what AWS says, because most stamps are the API server's.
 */
export class ServerClock implements LearningClock {
  readonly #own: Clock;
  #teacher: "AWS" | "cluster" | "none" = "none";
  /** The lead of the servers' clock. */
  #ahead: Duration = milliseconds(0);

  constructor(own: Clock) {
    this.#own = own;
  }

  readonly now = (): Instant => later(this.#own.now(), this.#ahead);

  readonly sleep = (until: Instant, wakeup: Wakeup): Promise<void> =>
    this.#own.sleep(instant(until - this.#ahead), wakeup);

  asks(server: "AWS" | "cluster"): (date: string | undefined) => void {
    const sent = this.#own.now();
    return (date = "") => {
      const written = httpDate.test(date) ? tryInstantOf(date) : undefined;
      if (written !== undefined) this.#learn(server, written, sent);
    };
  }

  /** The lead of this computer's clock over the servers'; less than 0 where it is behind. */
  difference(): Duration {
    return milliseconds(-this.#ahead);
  }

  /** Whether a server has said what time it is. */
  get taught(): boolean {
    return this.#teacher !== "none";
  }

  /** The server wrote its answer after the request was sent, and before it is here. */
  #learn(server: "AWS" | "cluster", written: Instant, sent: Instant): void {
    if (server === "AWS" && this.#teacher === "cluster") return;
    this.#teacher = server;
    const least = between(this.#own.now(), written);
    const most = between(sent, later(written, granularity));
    this.#ahead = milliseconds(Math.max(least, Math.min(this.#ahead, most)));
  }
}
