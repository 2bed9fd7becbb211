import type { NodeName } from "../base/ids.ts";
import type { Journal } from "../registrations/journal.port.ts";

/** Tells the journal which load balancers a drain waits for, and when all have let the instance go. */
export class TargetStory {
  readonly #node: NodeName;
  readonly #journal: Journal;
  /** What was told last, so that it is told once. */
  #told = "";

  constructor(node: NodeName, journal: Journal) {
    this.#node = node;
    this.#journal = journal;
  }

  /** Records the load balancers that have not let the instance go, one line each, if they are others than before. */
  tell(targets: readonly string[]): void {
    const told = targets.join();
    if (told === this.#told) return;
    this.#told = told;
    const node = this.#node;
    this.#journal.record(
      targets.length === 0
        ? { kind: "targets-gone", node }
        : { kind: "targets-awaited", node, targets },
    );
  }
}
