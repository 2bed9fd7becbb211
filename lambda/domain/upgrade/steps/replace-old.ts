import { progressOf } from "../node-marks.ts";
import type { Candidate } from "../order.ts";
import type { Roster } from "../roster.ts";
import type { UpgradeScene, UpgradeStep } from "../scene.ts";
import { tryGoOn, tryTerminate, tryTidy } from "./go-on.ts";
import { tryAdmit } from "./new-nodes.ts";
import { nextBatch } from "./next-batch.ts";
import type { Placed } from "./placed.ts";

/** Replaces old nodes, that many at a time; `undefined` when none are left. */
export function tryReplace(
  scene: UpgradeScene,
  roster: Roster,
  batch: number,
): UpgradeStep | undefined {
  const placed = roster.old.map((candidate) => ({
    candidate,
    progress: placeOf(candidate, scene),
  }));
  return (
    tryAdmit(scene, roster) ??
    tryTerminate(placed, scene) ??
    tryTidy(placed, scene) ??
    tryGoOn(placed, scene, roster) ??
    (placed.length === 0 ? undefined : nextBatch(placed, { scene, roster, batch }))
  );
}

const placeOf = ({ node }: Candidate, { bookmark }: UpgradeScene): Placed["progress"] =>
  node === "absent" ? { kind: "untouched" } : progressOf(node, bookmark.id);
