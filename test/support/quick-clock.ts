import type { Clock } from "../../lambda/base/clock.port.ts";
import { between, type Duration, type Instant } from "../../lambda/base/time.ts";
import { start } from "./aws-account.ts";

/** A clock whose sleeps take no time; it records how long each would have been. */
export class QuickClock implements Clock {
  readonly slept: Duration[] = [];
  #now: Instant = start;

  readonly now = (): Instant => this.#now;

  async sleep(until: Instant): Promise<void> {
    this.slept.push(between(this.#now, until));
    this.#now = until;
  }
}
