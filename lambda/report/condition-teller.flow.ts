import type { Clock } from "../base/clock.port.ts";
import { faultOf } from "../base/fault.ts";
import type { NodeName } from "../base/ids.ts";
import { overOthers } from "../drain/over-others.flow.ts";
import type { Journal } from "../notice/journal.port.ts";
import type { PassEntry } from "../notice/pass-entry.ts";
import { type DrainNews, wantedConditions } from "./lifecycle-conditions.ts";
import type { OpensConditions } from "./report.port.ts";

// A kubelet may write its node so that the API server takes no condition of ours there.
const mostFailures = 3;

/**
 * Writes the lifecycle conditions of nodes beside a pass, one after the other. Each time the node itself says what it has
 * and whether it is marked, so a condition that a pass could not write comes with the next one.
 */
export class ConditionTeller {
  readonly #journal: Journal<PassEntry>;
  readonly #clock: Clock;
  readonly #conditions: OpensConditions;
  readonly #failed = new Set<NodeName>();
  #last: Promise<void> = Promise.resolve();
  #state: "given up" | "open" = "open";

  constructor(
    journal: Journal<PassEntry>,
    {
      clock,
      conditions,
    }: {
      readonly clock: Clock;
      readonly conditions: OpensConditions;
    },
  ) {
    this.#journal = journal;
    this.#clock = clock;
    this.#conditions = conditions;
  }

  /** Queues what a pass tells of a drain. */
  tell(news: DrainNews): void {
    this.#last = this.#last.then(() => this.#write(news));
  }

  /** Waits until all conditions are written. */
  flush(): Promise<void> {
    return this.#last;
  }

  /** Drops the conditions that are not being written yet. */
  giveUp(): void {
    this.#state = "given up";
  }

  /** Writes the conditions of a node. Of faults the first is recorded. A fault stops no drain, and not the conditions of other nodes. */
  async #write({ node: name, drain }: DrainNews): Promise<void> {
    if (this.#state === "given up" || this.#failed.has(name)) return;
    try {
      const conditions = await this.#conditions();
      await overOthers(
        () => conditions.change(name, (node) => wantedConditions(node, drain)),
        this.#clock,
      );
    } catch (cause) {
      this.#failed.add(name);
      if (this.#failed.size >= mostFailures) this.giveUp();
      if (this.#failed.size > 1) return;
      const warnings = [faultOf(cause).message];
      this.#journal.record({ kind: "warning", about: `conditions of node ${name}`, warnings });
    }
  }
}
