import type { Clock } from "../base/clock.port.ts";
import { type Duration, type Instant, instant, later, never, seconds } from "../base/time.ts";

const pause = seconds(1);

interface Remembered<T> {
  readonly answer: Promise<T>;
  readonly until: Instant;
}

/** Remembers each answer for as long as its kind lasts; a failed question is not remembered. */
export class TtlCache<T> {
  readonly #clock: Pick<Clock, "now">;
  readonly #lasts: (answer: T) => Duration;
  readonly #known = new Map<string, Remembered<T>>();
  #forgotten = instant(0);

  constructor(clock: Pick<Clock, "now">, lasts: (answer: T) => Duration) {
    this.#clock = clock;
    this.#lasts = lasts;
  }

  /** The remembered answer; asks if there is none. Callers that ask the same meanwhile get the same answer. */
  recall(question: string, ask: () => Promise<T>): Promise<T> {
    const known = this.find(question) ?? ask();
    if (!this.#known.has(question)) this.keep(question, known);
    return known;
  }

  /** The remembered answer, if there is one. */
  find(question: string): Promise<T> | undefined {
    this.#forgetOld();
    const known = this.#known.get(question);
    if (known === undefined || known.until > this.#clock.now()) return known?.answer;
    this.#known.delete(question);
    return undefined;
  }

  /** Keeps an answer that is under way, in the place of the one before. */
  keep(question: string, answer: Promise<T>): void {
    const asked = this.#clock.now();
    this.#known.set(question, { answer, until: never });
    // An answer that comes late does not take the place of a newer one, or of one that is forgotten.
    const isKept = () => this.#known.get(question)?.answer === answer;
    answer.then(
      (found) =>
        isKept() && this.#known.set(question, { answer, until: later(asked, this.#lasts(found)) }),
      () => isKept() && this.#known.delete(question),
    );
  }

  /** Forgets an answer that is no longer true. */
  forget(question: string): void {
    this.#known.delete(question);
  }

  /** Not at each question: one message can name very many instances. */
  #forgetOld(): void {
    const now = this.#clock.now();
    if (now < this.#forgotten + pause) return;
    this.#forgotten = now;
    for (const [question, { until }] of this.#known) if (until <= now) this.#known.delete(question);
  }
}
