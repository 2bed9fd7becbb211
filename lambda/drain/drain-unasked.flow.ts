import { type Instant, minutes } from "../base/time.ts";
import type { DrainPorts } from "./drain.port.ts";
import { boundsFrom, unheldLengths } from "./drain-bounds.ts";
import { drainInstance } from "./drain-instance.flow.ts";
import type { DrainOrder } from "./drain-order.flow.ts";
import type { DrainPass } from "./drain-outcome.ts";
import type { DrainSettings } from "./drain-policy.ts";

/** The longest rest between two passes of such a drain. */
export const longestRest = minutes(1);

/** One pass over an instance that no notice is about; each entry of the journal names the instance. */
export function drainUnasked(
  asked: Omit<DrainOrder, "keeper" | "peers" | "start">,
  begun: Instant,
  ports: DrainPorts,
): Promise<DrainPass> {
  const { instance } = asked;
  const settings: DrainSettings = { ...asked.settings, mode: "evict" };
  const bounds = boundsFrom(begun, unheldLengths(settings, longestRest));
  const order: DrainOrder = {
    ...asked,
    peers: [],
    settings,
    start: { kind: "known", bounds },
    keeper: { kind: "none" },
  };
  const { journal } = ports;
  return drainInstance(order, {
    ...ports,
    journal: { record: (entry) => journal.record({ ...entry, instance }) },
  });
}
