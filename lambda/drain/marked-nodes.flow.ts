import { Bell } from "../base/bell.ts";
import type { NodeName } from "../base/ids.ts";
import { type Instant, later, milliseconds } from "../base/time.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import type { CordonedNode } from "../registrations/kubernetes.port.ts";
import type { Ports } from "../registrations/ports.ts";
import { tryCause } from "./cause.ts";
import { isExcluded, markedAtAnnotation, tryWrittenAt } from "./marking.ts";

// The marks wait for the list, and the drain for the marks.
const patience = milliseconds(250);

/** The nodes that have a mark already, as far as the API server has told: none where it does not. */
export class MarkedNodes {
  readonly #ports: Ports;
  readonly #notBefore: Instant;
  #names: ReadonlySet<NodeName> = new Set();

  /** An older mark is left from an earlier drain, and does not count. */
  constructor(notBefore: Instant, ports: Ports) {
    this.#notBefore = notBefore;
    this.#ports = ports;
  }

  /** Lists the cordoned nodes anew, and waits for that a moment at most; a later answer counts once it is there. */
  async look(): Promise<void> {
    const { clock } = this.#ports;
    const told = new Bell();
    void this.#read().finally(() => told.ring());
    await clock.sleep(later(clock.now(), patience), told);
  }

  has(name: NodeName): boolean {
    return this.#names.has(name);
  }

  async #read(): Promise<void> {
    const { cluster, journal } = this.#ports;
    try {
      const cordoned = await cluster.cordonedNodes();
      this.#names = new Set(
        cordoned.filter((node) => this.#isMarked(node)).map(({ name }) => name),
      );
    } catch (cause) {
      journal.record({ ...faultEntry(cause), retryable: true });
    }
  }

  /** A node at risk may have a time and a cordon only: that is no mark of a drain. Nor does the mark of an upgrade stay. */
  #isMarked(node: CordonedNode): boolean {
    if (tryCause(node)?.reason === "upgraded") return false;
    return isExcluded(node) && (tryWrittenAt(node, markedAtAnnotation) ?? 0) >= this.#notBefore;
  }
}
