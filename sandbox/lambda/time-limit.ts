import { type Duration, type Instant, later, seconds } from "../../lambda/base/time.ts";
import type { Cancel, Timeline } from "../timeline.ts";

/** How long a function may load before its time limit starts. @see https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html */
const initLimit = seconds(10);

/** The time limit of one invocation. It starts when the process takes the event, or when loading has taken too long. */
export class TimeLimit {
  readonly #timeline: Timeline;
  readonly #timeout: Duration;
  readonly #onExceeded: () => void;
  #cancel: Cancel;
  #exceeded = false;
  startedAt: Instant;

  constructor(timeline: Timeline, timeout: Duration, onExceeded: () => void) {
    this.#timeline = timeline;
    this.#timeout = timeout;
    this.#onExceeded = onExceeded;
    this.startedAt = timeline.now();
    this.#cancel = timeline.schedule(later(this.startedAt, initLimit), () => void this.start());
  }

  get exceeded(): boolean {
    return this.#exceeded;
  }

  /** Starts the time limit, and returns when it ends. */
  start(): Instant {
    this.cancel();
    this.startedAt = this.#timeline.now();
    const deadline = later(this.startedAt, this.#timeout);
    this.#cancel = this.#timeline.schedule(deadline, () => {
      this.#exceeded = true;
      this.#onExceeded();
    });
    return deadline;
  }

  cancel(): void {
    this.#cancel();
  }
}
