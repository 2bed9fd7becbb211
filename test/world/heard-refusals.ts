import { type Instant, later, seconds } from "../../lambda/base/time.ts";
import type { Fault } from "./fault-plan.ts";
import type { WorldPass } from "./passes.ts";
import { isClosing, tryPause } from "./refusal.ts";
import { crossing } from "./witnessed-drain.ts";

interface Refused {
  readonly pass: WorldPass;
  readonly namespace: string;
  readonly at: Instant;
}

interface Pause extends Pick<WorldPass, "process"> {
  readonly from: Instant;
  readonly until: Instant;
}

/** Knows which pass has heard which refusal of the API server. */
export class HeardRefusals {
  readonly #closing: Refused[] = [];
  readonly #pauses: Pause[] = [];

  /** Notes the answer to a request for a pod of this namespace. */
  note(refused: Refused, fault: Fault): void {
    const { pass, namespace, at } = refused;
    if (isClosing(fault) && this.closing(pass, namespace) === undefined)
      this.#closing.push(refused);
    const pause = tryPause(fault);
    if (pause === undefined) return;
    this.#pauses.push({ process: pass.process, from: at, until: later(at, seconds(pause)) });
  }

  /** Since when a pass has known that a namespace refuses evictions because it is terminating. */
  closing({ id }: WorldPass, namespace: string): Instant | undefined {
    return this.#closing.find((one) => one.pass.id === id && one.namespace === namespace)?.at;
  }

  /** Whether the API server has asked the process of a pass to wait, in whichever of its drains. */
  isPaused({ process }: WorldPass, now: Instant): boolean {
    return this.#pauses.some(
      (pause) => pause.process === process && now - pause.from > crossing && now < pause.until,
    );
  }
}
