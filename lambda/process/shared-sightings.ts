import type { Clock } from "../base/clock.port.ts";
import type { Instant } from "../base/time.ts";
import type { Sightings } from "../drain/drain.port.ts";

interface Sighting {
  readonly said: string;
  readonly since: Instant;
}

// More than the nodes that one process works on.
const most = 5000;

/** Since when this process knows what others have written; it forgets the oldest of very many. */
export class SharedSightings implements Sightings {
  readonly #clock: Pick<Clock, "now">;
  readonly #known = new Map<string, Sighting>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  since(about: string, said: string): Instant {
    const known = this.#known.get(about);
    if (known?.said === said) return known.since;
    const since = this.#clock.now();
    this.#known.delete(about);
    this.#known.set(about, { said, since });
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= most) break;
      this.#known.delete(oldest);
    }
    return since;
  }
}
