import { later, minutes, never } from "../base/time.ts";
import { isActive, type NamedVersion, names } from "../group/scaling-group.ts";
import type { Bookmark, UpgradeOutcome } from "./bookmark.ts";
import { isMarked, tryLeaving } from "./node-marks.ts";
import { type Candidate, isOtherVersion, serves } from "./old-instances.ts";
import type { StepOf, UpgradeScene, UpgradeStep } from "./scene.ts";
import { surgeOf } from "./sizes.ts";
import { isInService, type SortedScene } from "./sorted-instances.ts";
import { lookAgain, tryAwaitPass, tryAwaitTerminate, tryAwaitWindow } from "./waits.ts";

/** Makes a group as small as it was, one node at a time, once all nodes are new. */
export function scaleDownStep(scene: SortedScene): UpgradeStep {
  const aside = asideIn(scene);
  if (isScaledElsewhere(scene)) return finish(scene, aside > 0 ? "set-aside" : "scaled-elsewhere");
  const leaving = tryAwaitLeaving(scene);
  if (leaving !== undefined) return leaving;
  if (!isLarger(scene, aside)) return finish(scene, aside > 0 ? "set-aside" : "done");
  return tryAwaitWindow(scene) ?? tryAwaitBareZone(scene) ?? withoutSurge(scene);
}

// About as long as a launch takes, and its node until it is ready.
const zoneFilledWithin = minutes(10);

/**
 * Waits for the replacement that is on its way to a zone without a ready node, because pods with volumes of that zone have
 * no other place: after a zonal shift, its last old node may have gone without a new one there.
 */
function tryAwaitBareZone(scene: SortedScene): UpgradeStep | undefined {
  const { fresh, group, bookmark, now } = scene;
  const { instances, sizes, zones } = group;
  if (later(bookmark.since, zoneFilledWithin) <= now) return undefined;
  const served = fresh.filter(serves).map(({ instance }) => instance.zone);
  const bare = zones.filter((zone) => !served.includes(zone));
  const active = instances.filter(isActive);
  const isComing = active.length < sizes.desired || active.some(({ zone }) => bare.includes(zone));
  return bare.length === 0 || !isComing
    ? undefined
    : lookAgain(`no node in ${bare.join(", ")} is ready yet`, scene);
}

/** The number of nodes that were set aside and are still in the group. */
const asideIn = ({ bookmark, old }: SortedScene): number => Math.min(bookmark.aside, old.length);

/**
 * The desired capacity at the end. An upgrade that goes well keeps a node more for each that it has set aside. Somebody may
 * have raised the minimum size in the meantime.
 */
const goalOf = (scene: SortedScene): number =>
  scene.group.sizes.desired - surplusIn(scene, asideIn(scene));

/** The number of nodes that the group loses before its upgrade ends. */
export function surplusIn(
  { group: { sizes }, bookmark: { aside, before, state } }: Sized,
  setAside = aside,
): number {
  const kept = state === "running" ? setAside : 0;
  return sizes.desired - Math.max(before.sizes.desired + kept, sizes.min);
}

/** Whether the group is still larger than it will be at the end. */
export const isLarger = (sized: Sized, setAside = sized.bookmark.aside): boolean =>
  surplusIn(sized, setAside) > 0;

/** Puts everything back but nodes that are replaced already: the template, the marks of nodes, and the sizes. */
export function putBackStep(scene: SortedScene): UpgradeStep {
  const { bookmark } = scene;
  const { template } = bookmark.before;
  if (goesBack(scene)) return { kind: "launch-as-before", template };
  const restored = tryAwaitDrains(scene) ?? tryRestore(scene);
  if (restored !== undefined) return restored;
  const outcome = bookmark.state === "aborting" ? "aborted" : "failed";
  if (isScaledElsewhere(scene)) return finish(scene, outcome);
  const leaving = tryAwaitLeaving(scene);
  if (leaving !== undefined) return leaving;
  if (isLarger(scene)) return withoutSurge(scene);
  return tryEndInvalid(scene) ?? finish(scene, outcome);
}

/** Takes the surge back: first capacity without an instance, then new nodes one at a time. */
export function withoutSurge(scene: SortedScene): UpgradeStep {
  const { instances, sizes } = scene.group;
  const active = instances.filter(isActive).length;
  return active < sizes.desired
    ? shrunk(scene, Math.max(active, goalOf(scene)))
    : withoutOne(scene);
}

/**
 * Terminates a new node that is not ready, in place of an old one. The group launches one as before instead, unless its name of
 * before means the new version, or an override has a template of its own: that one would be new again, and not ready at once.
 */
function tryEndInvalid(scene: SortedScene): UpgradeStep | undefined {
  const [victim] = scene.fresh.filter(
    (one) => isInService(one) && !serves(one) && !isOtherVersion(one.instance, [scene.bookmark.to]),
  );
  return victim === undefined || launchesTarget(scene) || scene.namesTarget || isRenamed(scene)
    ? undefined
    : ended(scene, [victim], "kept");
}

/**
 * Whether the group launches by the old template again. It keeps a template that has proved good, unless somebody has
 * aborted the upgrade.
 */
export function goesBack(scene: UpgradeScene): boolean {
  const { before } = scene.bookmark;
  if (!launchesTarget(scene) || names(scene.group.source, before.template)) return false;
  return isPutBack(scene.bookmark);
}

/** Whether an upgrade that ends leaves its group with the template of before. */
export const isPutBack = ({ state, phase }: Pick<Bookmark, "phase" | "state">): boolean =>
  state === "aborting" || state === "rolling-back" || (state === "failing" && phase !== "upgrade");

type Sized = Pick<UpgradeScene, "bookmark" | "group">;

export const isScaledElsewhere = ({ group, bookmark }: Sized): boolean =>
  group.sizes.desired > bookmark.size;

/** Shrinks the group. If the upgrade has raised the maximum size, it goes down with the desired capacity. */
function shrunk(scene: UpgradeScene, desired: number): UpgradeStep {
  const { sizes } = scene.bookmark.before;
  const max = isOwnMax(scene) ? { max: sizes.max + desired - sizes.desired } : {};
  return { kind: "resize", sizes: { desired, ...max }, size: desired };
}

export function tryAwaitLeaving(scene: SortedScene): UpgradeStep | undefined {
  const { group, leaving } = scene;
  const active = group.instances.filter(isActive).length;
  if (leaving.length === 0 && active <= group.sizes.desired) return undefined;
  const reason = `the group has ${active + leaving.length} instances, and is to have ${group.sizes.desired}`;
  return tryAwaitTerminate(scene) ?? lookAgain(reason, scene);
}

/**
 * Terminates the least useful new node. Auto Scaling would choose an old one, or one that load balancers need. Nodes that
 * are protected from scale-in go only where no other is left.
 */
function withoutOne(scene: SortedScene): UpgradeStep {
  const { fresh } = scene;
  const open = fresh.filter(({ instance }) => instance.protection === "none");
  const [first, ...others] = (open.length > 0 ? open : fresh).toSorted(
    (a, b) => useOf(a, fresh) - useOf(b, fresh) || bornOf(b) - bornOf(a),
  );
  return first === undefined
    ? shrunk(scene, scene.group.sizes.desired - 1)
    : ended(scene, [first, ...others], "shrinks");
}

const ended = (
  scene: UpgradeScene,
  candidates: StepOf<"end-one">["candidates"],
  capacity: StepOf<"end-one">["capacity"],
): UpgradeStep => tryAwaitTerminate(scene) ?? { kind: "end-one", candidates, capacity };

/** The rank of a node that may go: nodes that are not ready first, then those of the zone with the most nodes. */
function useOf(candidate: Candidate, all: readonly Candidate[]): number {
  const { zone } = candidate.instance;
  const inZone = all.filter(({ instance }) => instance.zone === zone).length;
  return (serves(candidate) ? all.length : 0) - inZone;
}

/** When a node was created. The newest goes first, for a node that was there before the upgrade has its pods still. */
const bornOf = ({ node }: Candidate): number => (node === "absent" ? never : node.created);

/** Waits for a pass that is still under way, because it would mark the nodes that it drains again. */
export const tryAwaitDrains = (scene: UpgradeScene): UpgradeStep | undefined =>
  [...scene.nodes.values()].some(isMarked)
    ? tryAwaitPass("a pass that is under way may still drain nodes", scene)
    : undefined;

/** Whether the group still launches what the upgrade has set. */
export const launchesTarget = ({ group, bookmark }: UpgradeScene): boolean =>
  names(group.source, bookmark.to);

/** Removes the last traces of an upgrade. */
export function finish(scene: UpgradeScene, outcome: UpgradeOutcome): UpgradeStep {
  return (
    tryRestore(scene) ??
    tryRename(scene, outcome) ??
    tryLower(scene) ??
    tryAwaitOvertaken(scene) ?? { kind: "end", outcome }
  );
}

/** Waits for a pass of an earlier message, because nobody would put back what it changes after the end. */
const tryAwaitOvertaken = (scene: UpgradeScene): UpgradeStep | undefined =>
  scene.bookmark.overtaken.length === 0
    ? undefined
    : tryAwaitPass("a pass that is under way may still change the group", scene);

/** Sets the version that the group names from now on. After a failure, a name is as before, and a number stays. */
function tryRename(
  { group, bookmark: { to, ending, before } }: UpgradeScene,
  outcome: UpgradeOutcome,
): UpgradeStep | undefined {
  const isOurs = !["aborted", "failed", "rolled-back"].includes(outcome);
  const version = isOurs ? ending : before.template.version;
  const isNamed = isOurs ? version !== to.version : isMoving(version);
  if (!isNamed || !names(group.source, to)) return undefined;
  return { kind: "launch-by", template: { template: to.template, version } };
}

/** Whether a version is a name, which means another number from time to time. */
export const isMoving = (version: NamedVersion): boolean => typeof version === "string";

/** Whether the group has its old name of a version again, though it keeps the new version. */
const isRenamed = ({ group, bookmark: { before, state, phase } }: UpgradeScene): boolean =>
  state === "failing" &&
  phase === "upgrade" &&
  isMoving(before.template.version) &&
  names(group.source, before.template);

/** Sets the maximum size of before, unless somebody else has changed it or needs more by now. */
function tryLower(scene: UpgradeScene): UpgradeStep | undefined {
  const { group, bookmark } = scene;
  const { desired, max } = group.sizes;
  const wanted = Math.max(bookmark.before.sizes.max, desired);
  if (max <= wanted || !isOwnMax(scene)) return undefined;
  return { kind: "resize", sizes: { max: wanted }, size: bookmark.size };
}

function isOwnMax({ group, bookmark: { before, options } }: UpgradeScene): boolean {
  const { max, desired } = before.sizes;
  const highest = max + Math.max(1, surgeOf(options, desired, group.zones.length));
  return group.sizes.max > max && group.sizes.max <= highest;
}

/** The step that removes the marks of the upgrade from nodes that can be written; `undefined` if none has any. */
function tryRestore(scene: UpgradeScene): UpgradeStep | undefined {
  const { nodes, unwritable } = scene;
  const marked = [...nodes.values()].filter(
    (node) => !unwritable.has(node.instance) && tryLeaving(node, scene) !== undefined,
  );
  return marked.length === 0 ? undefined : { kind: "restore", nodes: marked };
}
