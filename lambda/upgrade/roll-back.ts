import type { MachineNode } from "../drain/node.ts";
import { placedIn, tryGoOn } from "./begun-attempts.ts";
import { restsUntil } from "./keep-old.ts";
import { begunOf, nextOf } from "./next-batch.ts";
import {
  type CandidateProgress,
  nodesAt,
  tryCordoning,
  tryOpeningOld,
  tryReopening,
} from "./node-marks.ts";
import type { Candidate } from "./old-instances.ts";
import {
  finish,
  goesBack,
  surplusIn,
  tryAwaitDrains,
  tryAwaitLeaving,
  withoutSurge,
} from "./put-back.ts";
import type { UpgradeStep } from "./scene.ts";
import { batchOf } from "./sizes.ts";
import type { SortedScene } from "./sorted-instances.ts";
import { lookAgain, tryAwaitTerminate } from "./waits.ts";

/**
 * The step of an upgrade that goes back to its kept old nodes. In this scene `fresh` and `valid` are the old nodes, and the
 * new nodes are the ones to replace. First the old nodes are uncordoned. Then the new ones are cordoned, drained a batch at a
 * time and terminated, and the group shrinks with each. No pod is forced: a blocked node gets further attempts. New nodes that
 * cannot be written go last: the drain at their hooks needs no mark.
 */
export function rollBackStep(scene: SortedScene): UpgradeStep {
  const { before, options } = scene.bookmark;
  if (goesBack(scene)) return { kind: "launch-as-before", template: before.template };
  const opened = tryAwaitDrains(scene) ?? tryOpen(scene);
  if (opened !== undefined) return opened;
  const surplus = surplusIn(scene);
  const batch = Math.min(surplus, batchOf(options, before.sizes.desired, scene.group.zones.length));
  const isUnwritable = ({ instance }: Candidate) => scene.unwritable.has(instance.id);
  const placed = placedIn(scene).filter(({ candidate }) => !isUnwritable(candidate));
  const step = batch > 0 ? tryMoveBack(placed, batch, scene) : undefined;
  if (step !== undefined) return step;
  const lasting = scene.old.filter(isUnwritable);
  const last = lasting.length > 0 ? { ...scene, fresh: lasting } : scene;
  return (
    tryAwaitLeaving(scene) ?? (surplus > 0 ? withoutSurge(last) : finish(scene, "rolled-back"))
  );
}

/** Opens the old nodes that can be written. */
function tryOpen({ fresh, taints, unwritable }: SortedScene): UpgradeStep | undefined {
  const nodes = fresh.flatMap(({ node }) =>
    node === "absent" || unwritable.has(node.instance) || !tryOpeningOld(node, taints)
      ? []
      : [node],
  );
  return nodes.length === 0 ? undefined : { kind: "open", nodes };
}

/** Moves pods from new nodes to the old ones; `undefined` if no new node is left. */
function tryMoveBack(
  placed: readonly CandidateProgress[],
  batch: number,
  scene: SortedScene,
): UpgradeStep | undefined {
  if (placed.length === 0) return undefined;
  return (
    tryEndDrained(placed, batch, scene) ??
    tryClose(placed, scene) ??
    tryGoOn(placed, scene) ??
    nextBack(placed, batch, scene)
  );
}

/** Terminates new instances that are drained or have no node. The group shrinks with them. */
function tryEndDrained(
  placed: readonly CandidateProgress[],
  most: number,
  scene: SortedScene,
): UpgradeStep | undefined {
  const due = placed.filter(
    (one) => one.candidate.node === "absent" || restsUntil(one, scene) <= scene.now,
  );
  const instances = due.map(({ candidate }) => candidate.instance.id).slice(0, most);
  return instances.length === 0
    ? undefined
    : (tryAwaitTerminate(scene) ?? { kind: "terminate", instances, capacity: "shrinks" });
}

/** Gives blocked nodes back to load balancers, and cordons all new nodes once an old one is ready. */
function tryClose(
  placed: readonly CandidateProgress[],
  { bookmark: { id }, taints, valid }: SortedScene,
): UpgradeStep | undefined {
  const blocked = nodesAt(placed, "blocked");
  const marked = blocked.filter((node) => tryReopening(node, taints) !== undefined);
  if (marked.length > 0) return { kind: "reopen", nodes: marked };
  const isOpen = (node: MachineNode) => tryCordoning(node, id) !== undefined;
  const open = [...nodesAt(placed, "untouched"), ...blocked].filter(isOpen);
  return open.length === 0 || valid.length === 0 ? undefined : { kind: "cordon", nodes: open };
}

/** Begins the next batch if ready old nodes and new nodes are then still as many as the group had before. */
function nextBack(
  placed: readonly CandidateProgress[],
  batch: number,
  scene: SortedScene,
): UpgradeStep {
  const untouched = placed.filter(({ progress }) => progress.kind === "untouched");
  const waiting = untouched.length > 0 ? untouched : placed;
  const size = Math.min(batch, waiting.length);
  const present = scene.valid.length + placed.length;
  const lost = scene.fresh.filter(({ instance }) => scene.unwritable.has(instance.id)).length;
  const { bookmark, group } = scene;
  const needed = Math.min(bookmark.before.sizes.desired - lost, group.sizes.desired - size);
  if (present - size < needed || scene.valid.length === 0) {
    const reason = `${scene.valid.length} old nodes are ready, and ${present} nodes in all: ${needed + size} are needed before the next new one may go`;
    return lookAgain(reason, scene, { shownIn: "in the tags" });
  }
  return begunOf(nextOf(waiting, scene).slice(0, size), scene);
}
