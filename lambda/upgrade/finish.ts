import { type NamedVersion, names } from "../group/fleet.ts";
import type { Outcome } from "./bookmark.ts";
import { tryRestoring } from "./node-marks.ts";
import type { UpgradeScene, UpgradeStep } from "./scene.ts";
import { surgeOf } from "./sizes.ts";

/** Removes the last traces of an upgrade. */
export function finish(scene: UpgradeScene, outcome: Outcome): UpgradeStep {
  return (
    tryRestore(scene) ?? tryRename(scene, outcome) ?? tryLower(scene) ?? { kind: "end", outcome }
  );
}

/** The group names the version as it is to from now on: after a failure a name that moves, as before, and a number stays. */
function tryRename(
  { fleet, bookmark: { to, ending, before } }: UpgradeScene,
  outcome: Outcome,
): UpgradeStep | undefined {
  const isOurs = outcome === "done" || outcome === "scaled-elsewhere";
  const version = isOurs ? ending : before.template.version;
  const isNamed = isOurs ? version !== to.version : isMoving(version);
  if (!isNamed || !names(fleet.source, to)) return undefined;
  return { kind: "launch-by", template: { template: to.template, version } };
}

const isMoving = (version: NamedVersion): boolean => typeof version === "string";

/** Whether a group has got back the name that it had, though it keeps what is new. */
export const isRenamed = ({ fleet, bookmark: { before, state, phase } }: UpgradeScene): boolean =>
  state === "failing" &&
  phase === "upgrade" &&
  isMoving(before.template.version) &&
  names(fleet.source, before.template);

/** The largest size is as before, unless somebody else has changed it or needs more by now. */
function tryLower(scene: UpgradeScene): UpgradeStep | undefined {
  const { fleet, bookmark } = scene;
  const { desired, max } = fleet.sizes;
  const wanted = Math.max(bookmark.before.sizes.max, desired);
  if (max <= wanted || !isOwnMax(scene)) return undefined;
  return { kind: "resize", sizes: { max: wanted }, size: bookmark.size };
}

/** Whether the largest size is one that the upgrade has set, and not somebody else's. */
export function isOwnMax({ fleet, bookmark: { before, options } }: UpgradeScene): boolean {
  const { max, desired } = before.sizes;
  const highest = max + Math.max(1, surgeOf(options, desired, fleet.zones.length));
  return fleet.sizes.max > max && fleet.sizes.max <= highest;
}

/** Takes the marks of the upgrade off the nodes that have some; `undefined` when none has. */
export function tryRestore({ nodes, taints }: UpgradeScene): UpgradeStep | undefined {
  const marked = [...nodes.values()].filter((node) => tryRestoring(node, taints) !== undefined);
  return marked.length === 0 ? undefined : { kind: "restore", nodes: marked };
}
