import { type Instant, minutes } from "../../lambda/base/time.ts";
import { attachmentName } from "../../sandbox/kubernetes/volume-drafts.ts";
import { volumeAttachments } from "../../sandbox/kubernetes/volume-resources.ts";
import { crossing, isSilent, type WitnessedDrain } from "./witnessed-drain.ts";
import type { WitnessedDrains } from "./witnessed-drains.ts";

const patience = minutes(3);

/**
 * Lists the volumes of departed pods that are still attached, unless the drain has waited long
 * enough.
 */
export function volumesOf(
  { world }: WitnessedDrains,
  drain: WitnessedDrain,
  at: Instant,
): readonly string[] {
  if (isSilent(drain)) return [];
  return world.departures
    .filter((gone) => at < Math.min(gone.at, drain.deadline) + patience && at > gone.at + crossing)
    .map(({ name }) => `pv-${name}`)
    .filter((volume) => {
      const name = attachmentName(volume, drain.node);
      return world.cluster.store.tryGet({ resource: volumeAttachments, name }) !== undefined;
    })
    .map((volume) => `${volume} was still attached when the hook was completed`);
}
