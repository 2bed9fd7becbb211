import type { Phase } from "./bookmark/bookmark.ts";
import { launchText } from "./fleet.ts";
import { awaitNodes, tryAdmit, zonesWithout } from "./new-nodes.ts";
import { launchesTarget, putBackStep, scaleDownStep } from "./put-back.ts";
import { tryReplace } from "./replace-old.ts";
import { type Roster, rosterOf } from "./roster.ts";
import type { UpgradeScene, UpgradeStep } from "./scene.ts";
import { batchOf, raised, surgeOf } from "./sizes.ts";

/** Decides what an upgrade does next, from the world and its bookmark alone: any pass may be the first. */
export function nextUpgradeStep(scene: UpgradeScene): UpgradeStep {
  const roster = rosterOf(scene);
  const { state, phase } = scene.bookmark;
  if (state === "aborting" || state === "failing") return putBackStep(scene, roster);
  if (isUnderWay(phase) && !launchesTarget(scene)) return rolledBack(scene);
  switch (phase) {
    case "set-up":
      return setUpStep(scene, roster);
    case "canary":
      return canaryStep(scene, roster);
    case "scale-up":
      return scaleUpStep(scene, roster);
    case "upgrade":
      return tryReplace(scene, roster, batchIn(scene)) ?? { kind: "enter", phase: "scale-down" };
    case "scale-down":
      return scaleDownStep(scene, roster);
  }
}

const isUnderWay = (phase: Phase): boolean => phase !== "set-up" && phase !== "scale-down";

function setUpStep(scene: UpgradeScene, { old }: Roster): UpgradeStep {
  const { to: template, options } = scene.bookmark;
  if (!launchesTarget(scene)) return { kind: "launch-by", template };
  if (old.length === 0) return { kind: "enter", phase: "scale-down" };
  return { kind: "enter", phase: options.canary === "first" ? "canary" : afterCanary(scene) };
}

const afterCanary = ({ bookmark }: UpgradeScene): Phase =>
  bookmark.options.strategy === "MINIMAL" ? "upgrade" : "scale-up";

/** One new node alone: launched besides the others, or in the place of an old one. */
function canaryStep(scene: UpgradeScene, roster: Roster): UpgradeStep {
  const phase = afterCanary(scene);
  if (roster.valid.length > 0) return { kind: "confirm", phase };
  const admitted = tryAdmit(scene, roster);
  if (admitted !== undefined) return admitted;
  if (phase === "upgrade") return tryReplace(scene, roster, 1) ?? { kind: "enter", phase };
  return tryRaise(scene, 1) ?? awaitNodes("the first new node is not valid yet", scene, roster);
}

function scaleUpStep(scene: UpgradeScene, roster: Roster): UpgradeStep {
  const surge = surgeIn(scene);
  const step = tryAdmit(scene, roster) ?? tryRaise(scene, surge);
  if (step !== undefined) return step;
  const without = zonesWithout(roster);
  const zones = new Set(roster.old.map(({ instance }) => instance.zone)).size;
  const isCovered = zones - without.length >= Math.min(zones, surge);
  if (isCovered && isAdmitted(roster)) return { kind: "enter", phase: "upgrade" };
  const places = without.length === 0 ? "of the group" : `in ${without.join(", ")}`;
  return awaitNodes(`the new nodes ${places} are not valid yet`, scene, roster);
}

/** Every new node that has come is valid. */
const isAdmitted = ({ fresh, valid }: Roster): boolean =>
  valid.length === fresh.filter(({ instance }) => instance.state === "InService").length;

function tryRaise({ fleet, bookmark }: UpgradeScene, by: number): UpgradeStep | undefined {
  const wanted = raised(bookmark.before.sizes, by);
  if (fleet.sizes.desired >= wanted.desired) return undefined;
  const max = Math.max(fleet.sizes.max, wanted.max);
  return { kind: "resize", sizes: { ...wanted, max }, size: wanted.desired };
}

const sizeOf = ({ bookmark }: UpgradeScene): number => bookmark.before.sizes.desired;

const surgeIn = (scene: UpgradeScene): number =>
  surgeOf(scene.bookmark.options, sizeOf(scene), scene.fleet.zones.length);

const batchIn = (scene: UpgradeScene): number =>
  batchOf(scene.bookmark.options, sizeOf(scene), scene.fleet.zones.length);

const rolledBack = (scene: UpgradeScene): UpgradeStep => ({
  kind: "fail",
  issue: {
    code: "Ec2LaunchTemplateVersionMismatch",
    message: `somebody has the group launch by ${launchText(scene.fleet.source)} again, not by version ${scene.bookmark.to.version}`,
  },
});
