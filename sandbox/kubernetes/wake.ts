import { type Duration, type Instant, later } from "../../lambda/base/time.ts";
import type { Cancel, Timeline } from "../timeline.ts";

/** Runs work a moment after a request for it; several requests lead to one run. */
export class Wake {
  readonly #timeline: Timeline;
  readonly #work: () => void;
  #next: { readonly at: Instant; readonly cancel: Cancel } | undefined;

  constructor(timeline: Timeline, work: () => void) {
    this.#timeline = timeline;
    this.#work = work;
  }

  /** Requests the work after a delay; an earlier run stays scheduled. */
  after(delay: Duration): void {
    this.at(later(this.#timeline.now(), delay));
  }

  /** Requests the work at a time; an earlier run stays scheduled. */
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
