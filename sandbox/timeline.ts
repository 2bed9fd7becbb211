import { type Duration, type Instant, instant, milliseconds } from "../lambda/base/time.ts";

/** Cancels an effect that is not due yet. */
export type Cancel = () => void;

/** The time of a world. Whatever happens by itself in the sandbox is an effect on its timeline. */
export interface Timeline {
  now(): Instant;
  /** Runs an effect when it is due. Effects of the same instant run in the order of these calls. */
  schedule(at: Instant, effect: () => void): Cancel;
}

interface TimedEffect {
  readonly at: Instant;
  readonly run: () => void;
}

/** Time that moves only when `step` or `pass` moves it, so that hours pass in a moment. */
export class VirtualTimeline implements Timeline {
  #now: Instant;
  /** Sorted by time. Effects of the same time stay in the order in which they were scheduled. */
  readonly #effects: TimedEffect[] = [];

  constructor(start: Instant) {
    this.#now = start;
  }

  now(): Instant {
    return this.#now;
  }

  schedule(at: Instant, effect: () => void): Cancel {
    const entry = { at, run: effect };
    const before = this.#effects.findLastIndex((other) => other.at <= at);
    this.#effects.splice(before + 1, 0, entry);
    return () => {
      const place = this.#effects.indexOf(entry);
      if (place >= 0) this.#effects.splice(place, 1);
    };
  }

  /** Runs the next effect. If none is due by the limit, moves to the limit and returns false. */
  step(limit: Instant): boolean {
    const [next] = this.#effects;
    if (next === undefined || next.at > limit) {
      this.#now = instant(Math.max(this.#now, limit));
      return false;
    }
    this.#effects.shift();
    this.#now = instant(Math.max(this.#now, next.at));
    next.run();
    return true;
  }

  /** Lets a duration pass, and runs every effect that is due in it. */
  pass(duration: Duration): void {
    const limit = instant(this.#now + duration);
    while (this.step(limit));
  }
}

/** The real time, or a time that is ahead of it. */
export class WallTimeline implements Timeline {
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #ahead: number;

  constructor(ahead = milliseconds(0)) {
    this.#ahead = ahead;
  }

  now(): Instant {
    return instant(Date.now() + this.#ahead);
  }

  schedule(at: Instant, effect: () => void): Cancel {
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        effect();
      },
      Math.max(0, at - this.now()),
    );
    this.#timers.add(timer);
    return () => {
      clearTimeout(timer);
      this.#timers.delete(timer);
    };
  }

  /** Drops every effect still to come, so that the process can end. */
  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}
