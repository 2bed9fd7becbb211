import type { Clock } from "../base/clock.port.ts";
import { Wakeup } from "../base/wakeup.ts";
import {
  type BudgetHold,
  byNode,
  holdsAfter,
  type LastingHolds,
  lastingAt,
  lastingFrom,
} from "./holds.ts";
import type { HeardEntry } from "./reported-entry.ts";

/** Reports budgets that hold pods for longer than usual. */
export class HoldWatch {
  readonly #clock: Clock;
  readonly #tell: (holds: LastingHolds) => void;
  readonly #over = new Wakeup();
  #holds: readonly BudgetHold[] = [];
  #state: "at rest" | "over" | "waiting" = "at rest";

  constructor(clock: Clock, tell: (holds: LastingHolds) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  hear(entry: HeardEntry): void {
    this.#holds = holdsAfter(this.#holds, entry);
    this.#wait();
  }

  /** Reports all budgets that still hold pods when the pass ends, because the next pass may run in another process. */
  end(): void {
    this.#state = "over";
    this.#over.notify();
    this.#tellOf(this.#holds);
  }

  /** A hold may last long enough to be reported while the drain's loop waits, so this has a timer of its own. */
  #wait(): void {
    if (this.#state !== "at rest" || this.#holds.length === 0) return;
    this.#state = "waiting";
    void this.#clock.sleep(lastingFrom(this.#holds), this.#over).then(() => this.#look());
  }

  #look(): void {
    if (this.#state === "over") return;
    this.#state = "at rest";
    this.#tellOf(lastingAt(this.#holds, this.#clock.now()));
    this.#wait();
  }

  #tellOf(holds: readonly BudgetHold[]): void {
    this.#holds = this.#holds.filter((hold) => !holds.includes(hold));
    for (const lasting of byNode(holds)) this.#tell(lasting);
  }
}
