import { earliest, never } from "../base/time.ts";
import type { MachineNode } from "../drain/node.ts";
import type { Bookmark } from "./bookmark.ts";
import { restsUntil, tryAwaitKept, tryTerminate } from "./keep-old.ts";
import {
  type CandidateProgress,
  nodesAt,
  progressAt,
  progressOf,
  tryCordoning,
  tryCounted,
  tryReopening,
  tryUncordoning,
} from "./node-marks.ts";
import type { NodeAttempt, UpgradeScene, UpgradeStep } from "./scene.ts";
import { awaitsShift } from "./shifts.ts";
import type { SortedScene } from "./sorted-instances.ts";
import { isHeld, lookAgain, wait } from "./waits.ts";

/** Goes on with what has begun on old nodes; `undefined` if nothing has. */
export const tryEndBegun = (
  placed: readonly CandidateProgress[],
  scene: SortedScene,
): UpgradeStep | undefined =>
  tryTerminate(placed, scene) ?? tryTidy(placed, scene) ?? tryGoOn(placed, scene);

/** The old instances, and how far each is. */
export const placedIn = ({ old, bookmark, now }: SortedScene): readonly CandidateProgress[] =>
  old.map((candidate) => ({
    candidate,
    progress: progressAt(progressOf(candidate.node, bookmark.id), now),
  }));

const isInTurns = ({ phase }: Bookmark): boolean => phase === "upgrade" || phase === "keep";

/** Counts pods, cordons nodes, and gives blocked nodes back to load balancers. */
function tryTidy(
  placed: readonly CandidateProgress[],
  scene: UpgradeScene,
): UpgradeStep | undefined {
  const { bookmark, taints } = scene;
  const blocked = nodesAt(placed, "blocked").filter((node) => tryReopening(node, taints));
  if (blocked.length > 0) return { kind: "reopen", nodes: blocked };
  const untouched = nodesAt(placed, "untouched");
  const uncounted = untouched.filter((node) => tryCounted(node, bookmark.id) === undefined);
  if (bookmark.options.order === "emptiest" && uncounted.length > 0)
    return { kind: "count", nodes: uncounted };
  const aside = nodesAt(placed, "set-aside").filter((node) => tryCordoning(node, bookmark.id));
  if (aside.length > 0) return { kind: "cordon", nodes: aside };
  if (bookmark.options.cordon === "one-by-one" || !isInTurns(bookmark)) return undefined;
  const near = placed.filter(({ candidate }) => isHeld(scene) || !awaitsShift(candidate, scene));
  return tryCordon([...nodesAt(near, "untouched"), ...nodesAt(near, "blocked")], scene);
}

/**
 * Cordons old nodes while the upgrade runs. While the upgrade is held, perhaps for days, pods need the room on the old
 * nodes, so it uncordons them, except a node that another drain has marked. In a zone that traffic is shifted away from
 * nodes stay as they are.
 */
function tryCordon(nodes: readonly MachineNode[], scene: UpgradeScene): UpgradeStep | undefined {
  const [kind, change] = isHeld(scene)
    ? (["uncordon", tryUncordoning] as const)
    : (["cordon", tryCordoning] as const);
  const wrong = nodes.filter((one) => change(one, scene.bookmark.id) !== undefined);
  return wrong.length === 0 ? undefined : { kind, nodes: wrong };
}

/** Goes on with nodes whose attempt has begun, even if the others are held. */
export function tryGoOn(
  placed: readonly CandidateProgress[],
  scene: SortedScene,
): UpgradeStep | undefined {
  const until = earliest(never, ...placed.map((one) => restsUntil(one, scene)));
  const drains = placed.flatMap(({ candidate: { node }, progress }): readonly NodeAttempt[] =>
    node !== "absent" && progress.kind === "draining" ? [{ node, attempt: progress.attempt }] : [],
  );
  if (drains.length > 0) return { kind: "drain", attempts: drains, until };
  if (until < never)
    return tryAwaitKept(scene) ?? wait("drained nodes leave load balancers", until);
  const [first] = scene.leaving;
  if (first === undefined) return undefined;
  const reason = `${scene.leaving.length} instances end, such as ${first.id} (${first.state})`;
  return lookAgain(reason, scene);
}
