import type { InstanceId } from "../base/ids.ts";
import { between, type Duration, hours, type Instant, later, milliseconds } from "../base/time.ts";

/** The passes that have tried a repair in vain. */
interface Stall {
  readonly since: Instant;
  readonly last: Instant;
}

const life = hours(1);

/**
 * The repairs that passes try in vain, as this process knows them: others write the node meanwhile, or have its writes refused.
 * Such a repair is tried less often, and keeps no other one waiting.
 */
export class StalledRepairs {
  readonly #stalls = new Map<InstanceId, Stall>();

  note(instance: InstanceId, repair: "goes on" | "stalls", now: Instant): void {
    for (const [one, { last }] of this.#stalls)
      if (now >= later(last, life)) this.#stalls.delete(one);
    const { since } = this.#stalls.get(instance) ?? { since: now };
    if (repair === "goes on") this.#stalls.delete(instance);
    else this.#stalls.set(instance, { since, last: now });
  }

  /** The time from the first try in vain to the last one. */
  stalledFor(instance: InstanceId): Duration {
    const stall = this.#stalls.get(instance);
    return stall === undefined ? milliseconds(0) : between(stall.since, stall.last);
  }

  /** When each repair was last tried that has been tried in vain more than once. */
  get lastTries(): ReadonlyMap<InstanceId, Instant> {
    const repeated = [...this.#stalls].filter(([, { since, last }]) => last > since);
    return new Map(repeated.map(([instance, { last }]) => [instance, last]));
  }
}
