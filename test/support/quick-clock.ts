import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../lambda/base/clock.port.ts";
import { between, type Duration, type Instant } from "../../lambda/base/time.ts";
import { Wakeup } from "../../lambda/base/wakeup.ts";
import { start } from "./aws-account.ts";

/** A clock whose sleeps take no time; it records how long each would have been. What answers at once wakes a sleeper first. */
export class QuickClock implements Clock {
  readonly slept: Duration[] = [];
  #now: Instant = start;

  readonly now = (): Instant => this.#now;

  async sleep(until: Instant, wakeup = new Wakeup()): Promise<void> {
    await setImmediate();
    if (wakeup.consume()) return;
    this.slept.push(between(this.#now, until));
    this.#now = until;
  }
}
