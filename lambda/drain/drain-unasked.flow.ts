import { type Instant, minutes } from "../base/time.ts";
import type { Pass } from "../notice/outcome.ts";
import type { DrainPorts } from "./drain.port.ts";
import { boundsFrom, unheldLengths } from "./drain-bounds.ts";
import { type Drain, drainInstance } from "./drain-instance.flow.ts";
import type { DrainSettings } from "./drain-policy.ts";

/** How long the work on such a drain rests between two passes at most. */
export const longestRest = minutes(1);

/** An instance that is drained because the product has chosen it, and since when. */
export interface UnaskedDrain extends Omit<Drain, "keeper" | "peers" | "start"> {
  readonly begun: Instant;
}

/** One pass over an instance that no notice is about; each entry of the journal names the instance. */
export function drainUnasked({ begun, ...drain }: UnaskedDrain, ports: DrainPorts): Promise<Pass> {
  const { instance } = drain;
  const settings: DrainSettings = { ...drain.settings, mode: "evict" };
  const bounds = boundsFrom(begun, unheldLengths(settings, longestRest));
  const unheld = { start: { kind: "known", bounds }, keeper: { kind: "none" }, peers: [] } as const;
  const { journal } = ports;
  return drainInstance(
    { ...drain, settings, ...unheld },
    { ...ports, journal: { record: (entry) => journal.record({ ...entry, instance }) } },
  );
}
