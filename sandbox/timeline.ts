import { type Duration, type Instant, instant } from "../lambda/domain/time.ts";

/** Takes back an effect that has not come due. */
export type Cancel = () => void;

/** The world's time: everything that happens by itself in the sandbox is an effect on it. */
export interface Timeline {
  now(): Instant;
  /** Runs an effect once its time has come; effects of the same instant run in the order given. */
  schedule(at: Instant, effect: () => void): Cancel;
}

interface Effect {
  readonly at: Instant;
  readonly run: () => void;
}

/** Time that stands still until somebody waits: hours pass in a moment. */
export class VirtualTimeline implements Timeline {
  #now: Instant;
  /** By time, and by the order they were given in where it is the same. */
  readonly #effects: Effect[] = [];

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

  /** Moves to the next effect, or to the limit if none is due before; false when the limit is reached. */
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

  /** Lets a duration pass, with every effect in it. */
  pass(duration: Duration): void {
    const limit = instant(this.#now + duration);
    while (this.step(limit));
  }
}

/** Time as it is. */
export class WallTimeline implements Timeline {
  readonly #timers = new Set<NodeJS.Timeout>();

  now(): Instant {
    return instant(Date.now());
  }

  schedule(at: Instant, effect: () => void): Cancel {
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        effect();
      },
      Math.max(0, at - Date.now()),
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
