import { later, minutes } from "../base/time.ts";
import type { Candidate } from "./old-instances.ts";
import type { StepOf, UpgradeScene } from "./scene.ts";
import { wait } from "./waits.ts";

/** Whether traffic is shifted away from the zone of an instance. */
export const isShifted = (
  { instance: { zone } }: Pick<Candidate, "instance">,
  { shifted }: Pick<UpgradeScene, "shifted">,
): boolean => shifted.includes(zone);

/** Whether an old instance waits for the end of a zonal shift. */
export const awaitsShift = (one: Pick<Candidate, "instance">, scene: UpgradeScene): boolean =>
  scene.bookmark.options.zonalShift === "heed" && isShifted(one, scene);

const shiftsLookedAt = minutes(1);

/** Waits for the end of zonal shifts if all of these old instances do; `undefined` otherwise. */
export function tryAwaitShift(
  old: readonly Candidate[],
  scene: UpgradeScene,
): StepOf<"wait"> | undefined {
  if (old.length === 0 || !old.every((one) => awaitsShift(one, scene))) return undefined;
  const zones = [...new Set(old.map(({ instance }) => instance.zone))].toSorted();
  const reason = `traffic is shifted away from ${zones.join(", ")}, where ${old.length} old nodes wait for the end of the zonal shift (--ignore-zonal-shift does not wait)`;
  const until = later(scene.now, shiftsLookedAt);
  return wait(reason, until, { since: "restarts", shownIn: "in the tags" });
}
