import { type Duration, type Instant, later } from "../../domain/time.ts";
import type { Clock } from "../../ports/clock.ts";

interface Remembered<T> {
  readonly answer: Promise<T>;
  readonly until: Instant;
}

/** Remembers answers for a while; a failed question is not remembered. */
export class TtlCache<T> {
  readonly #clock: Pick<Clock, "now">;
  readonly #duration: Duration;
  readonly #known = new Map<string, Remembered<T>>();

  constructor(clock: Pick<Clock, "now">, duration: Duration) {
    this.#clock = clock;
    this.#duration = duration;
  }

  recall(question: string, ask: () => Promise<T>): Promise<T> {
    const now = this.#clock.now();
    const known = this.#known.get(question);
    if (known !== undefined && now < known.until) return known.answer;
    const answer = ask();
    this.#known.set(question, { answer, until: later(now, this.#duration) });
    answer.catch(() => this.#known.delete(question));
    return answer;
  }
}
