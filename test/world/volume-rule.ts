import { type Instant, minutes, seconds } from "../../lambda/domain/time.ts";
import { volumeAttachments } from "../../sandbox/cluster/volume-resources.ts";
import { isSilent, type WitnessedDrain } from "./witnessed-drain.ts";
import type { WitnessedDrains } from "./witnessed-drains.ts";

const patience = minutes(3);
// Of a node that is released at its deadline nobody has waited for the end of the pods.
const expiring = seconds(2.1);

/** The volumes of pods that have left which are still attached, unless they were waited for long enough. */
export function volumesOf(
  { world }: WitnessedDrains,
  drain: WitnessedDrain,
  at: Instant,
): readonly string[] {
  const isExpiring = at >= drain.deadline && at <= drain.deadline + expiring;
  if (isSilent(drain) || isExpiring) return [];
  return world.departures
    .filter((departure) => at < departure.at + patience)
    .map(({ name }) => ({ resource: volumeAttachments, name: `csi-${name}` }))
    .filter((ref) => world.cluster.store.tryGet(ref)?.spec.nodeName === drain.node)
    .map(({ name }) => `${name} was still attached when the hook was completed`);
}
