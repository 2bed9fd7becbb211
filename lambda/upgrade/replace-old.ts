import { tryGoOn, tryTerminate, tryTidy } from "./go-on.ts";
import { tryAdmit } from "./new-nodes.ts";
import { nextBatch } from "./next-batch.ts";
import type { Candidate } from "./order.ts";
import type { Placed } from "./placed.ts";
import { progressOf } from "./progress.ts";
import type { Roster } from "./roster.ts";
import type { UpgradeScene, UpgradeStep } from "./scene.ts";
import { tryAwaitPass } from "./waits.ts";

/** Replaces old nodes, that many at a time; `undefined` when none are left. */
export function tryReplace(
  scene: UpgradeScene,
  roster: Roster,
  batch: number,
): UpgradeStep | undefined {
  const placed = placedIn(scene, roster);
  return (
    tryAdmit(scene, roster) ??
    tryEndBegun(placed, scene, roster) ??
    (placed.length === 0 ? undefined : nextBatch(placed, { scene, roster, batch }))
  );
}

/** Ends what was under way when somebody paused the upgrade, and begins nothing; then nobody carries it on. */
export const pausedStep = (scene: UpgradeScene, roster: Roster): UpgradeStep =>
  tryEndBegun(placedIn(scene, roster), scene, roster) ??
  tryAwaitPass("a pass that is under way may still begin something", scene) ?? { kind: "pause" };

const tryEndBegun = (
  placed: readonly Placed[],
  scene: UpgradeScene,
  roster: Roster,
): UpgradeStep | undefined =>
  tryTerminate(placed, scene) ?? tryTidy(placed, scene) ?? tryGoOn(placed, scene, roster);

const placedIn = (scene: UpgradeScene, { old }: Roster): readonly Placed[] =>
  old.map((candidate) => ({ candidate, progress: placeOf(candidate, scene) }));

const placeOf = ({ node }: Candidate, { bookmark }: UpgradeScene): Placed["progress"] =>
  node === "absent" ? { kind: "untouched" } : progressOf(node, bookmark.id);
