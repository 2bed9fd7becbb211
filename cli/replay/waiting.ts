import type { Happening, HappeningOf } from "../../journal/happening.ts";
import { between, earliest, type Instant, spoken, tryInstantOf } from "../../lambda/domain/time.ts";

/** When a replay ends at the latest. */
export interface TimeLimits {
  readonly until: Instant;
}

/** What a replay waits for, as far as its happenings say. */
export class Waiting {
  readonly #limits: TimeLimits;
  readonly #holders = new Map<string, string>();
  #deadline: Instant | "open" = "open";
  #reason = "for the function";

  constructor(limits: TimeLimits) {
    this.#limits = limits;
  }

  /** Says who holds the node, and how much time is left. */
  words(now: Instant): string {
    const holders = [...this.#holders].map(([pod, why]) => `${pod}: ${why}`);
    const what = holders.length === 0 ? this.#reason : holders.join("; ");
    const { until } = this.#limits;
    const end = this.#deadline === "open" ? until : earliest(until, this.#deadline);
    const limit = end === until ? "the replay ends" : "the drain is over";
    return `${what}; ${limit} in ${spoken(between(now, end))}`;
  }

  hear(happening: Happening): void {
    switch (happening.kind) {
      case "node-marked":
      case "mark-tightened":
        this.#deadline = tryInstantOf(happening.deadline) ?? this.#deadline;
        return;
      case "pods-seen":
        for (const pod of happening.holding) this.#holders.set(pod, "to be evicted");
        return;
      case "pod-evicted":
      case "pod-deleted":
        this.#holders.set(happening.pod, "ending");
        return;
      case "pod-refused":
        this.#holders.set(happening.pod, happening.message);
        return;
      case "pods-held":
        for (const pod of happening.pods) this.#holders.set(pod, heldBy(happening));
        return;
      case "pods-freed":
        for (const pod of happening.pods) this.#holders.set(pod, "to be evicted");
        return;
      case "pod-gone":
        this.#holders.delete(happening.pod);
        return;
      case "node-awaited":
        this.#reason = happening.reason;
        return;
      case "notice-done":
        this.#holders.clear();
        this.#reason = "for the pods' replacements";
        return;
      default:
        return;
    }
  }
}

const heldBy = ({ budget, healthy, desired }: HappeningOf<"pods-held">): string =>
  `held by budget ${budget}, ${healthy} healthy of ${desired} desired`;
