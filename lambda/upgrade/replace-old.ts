import { earliest, type Instant, later, never } from "../base/time.ts";
import type { MachineNode } from "../drain/node.ts";
import { tryAdmit } from "./new-nodes.ts";
import { nextBatch } from "./next-batch.ts";
import { tryCordoning, tryCounted, tryReopening, tryUncordoning } from "./node-marks.ts";
import type { Candidate } from "./order.ts";
import { nodesAt, type Placed, type Progress, progressOf } from "./progress.ts";
import type { Roster } from "./roster.ts";
import type { NodeTurn, UpgradeScene, UpgradeStep } from "./scene.ts";
import { isHeld, lookAgain, suspensionOf, tryAwaitPass } from "./waits.ts";

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

/** Ends old instances that are drained. */
function tryTerminate(placed: readonly Placed[], scene: UpgradeScene): UpgradeStep | undefined {
  const instances = placed
    .filter(({ progress }) => restsUntil(progress, scene) <= scene.now)
    .map(({ candidate }) => candidate.instance.id);
  return instances.length === 0 ? undefined : { kind: "terminate", instances, capacity: "kept" };
}

/** Until when a drained node is kept: not before Auto Scaling may end it. */
const restsUntil = (progress: Progress, { bookmark, fleet }: UpgradeScene): Instant =>
  progress.kind === "drained" && suspensionOf(fleet) === undefined
    ? later(progress.at, bookmark.options.afterDrain)
    : never;

/** Counts and cordons what is to be, and gives blocked nodes back to load balancers. */
function tryTidy(placed: readonly Placed[], scene: UpgradeScene): UpgradeStep | undefined {
  const { bookmark, taints } = scene;
  const blocked = nodesAt(placed, "blocked").filter((node) => tryReopening(node, taints));
  if (blocked.length > 0) return { kind: "reopen", nodes: blocked };
  const untouched = nodesAt(placed, "untouched");
  const uncounted = untouched.filter((node) => tryCounted(node, bookmark.id) === undefined);
  if (bookmark.options.order === "emptiest" && uncounted.length > 0)
    return { kind: "count", nodes: uncounted };
  if (bookmark.options.cordon === "one-by-one" || bookmark.phase !== "upgrade") return undefined;
  return tryCordon([...untouched, ...nodesAt(placed, "blocked")], scene);
}

/**
 * Old nodes take no new pods while the upgrade goes on. While it is held, which may be for days, pods need their room;
 * but a node that another drain has marked stays closed.
 */
function tryCordon(nodes: readonly MachineNode[], scene: UpgradeScene): UpgradeStep | undefined {
  const [kind, change] = isHeld(scene)
    ? (["uncordon", tryUncordoning] as const)
    : (["cordon", tryCordoning] as const);
  const wrong = nodes.filter((one) => change(one, scene.bookmark.id) !== undefined);
  return wrong.length === 0 ? undefined : { kind, nodes: wrong };
}

/** Goes on with the nodes whose turn has come, whatever holds the others. */
function tryGoOn(
  placed: readonly Placed[],
  scene: UpgradeScene,
  { leaving }: Roster,
): UpgradeStep | undefined {
  const until = earliest(never, ...placed.map(({ progress }) => restsUntil(progress, scene)));
  const drains = placed.flatMap(({ candidate: { node }, progress }): readonly NodeTurn[] =>
    node !== "absent" && progress.kind === "draining" ? [{ node, turn: progress.turn }] : [],
  );
  if (drains.length > 0) return { kind: "drain", turns: drains, until };
  if (until < never)
    return {
      kind: "wait",
      reason: "drained nodes leave load balancers",
      until,
      since: "as it is",
      told: "in the log",
    };
  const [first] = leaving;
  if (first === undefined) return undefined;
  const reason = `${leaving.length} instances end, such as ${first.id} (${first.state})`;
  return lookAgain(reason, scene);
}
