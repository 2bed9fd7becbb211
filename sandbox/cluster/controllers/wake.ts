import { type Duration, type Instant, later } from "../../../lambda/domain/time.ts";
import type { Cancel, Timeline } from "../../timeline.ts";

/** Work that is done a moment after somebody asked for it, once however many asked. */
export class Wake {
  readonly #timeline: Timeline;
  readonly #work: () => void;
  #next: { readonly at: Instant; readonly cancel: Cancel } | undefined;

  constructor(timeline: Timeline, work: () => void) {
    this.#timeline = timeline;
    this.#work = work;
  }

  /** Asks for the work after a delay; an earlier appointment stands. */
  after(delay: Duration): void {
    this.at(later(this.#timeline.now(), delay));
  }

  /** Asks for the work at a time; an earlier appointment stands. */
  at(at: Instant): void {
    if (this.#next !== undefined && this.#next.at <= at) return;
    this.#next?.cancel();
    const cancel = this.#timeline.schedule(at, () => {
      this.#next = undefined;
      this.#work();
    });
    this.#next = { at, cancel };
  }
}
