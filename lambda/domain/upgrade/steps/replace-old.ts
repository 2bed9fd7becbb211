import { earliest, type Instant, later, never } from "../../time.ts";
import { brakeOf, isOutOfTime } from "../brakes.ts";
import type { FleetNode } from "../fleet-node.ts";
import { isMarked, type Progress, progressOf, tryCounted } from "../node-marks.ts";
import { type Candidate, inOrder, serves } from "../order.ts";
import type { Roster } from "../roster.ts";
import type { NodeTurn, UpgradeScene, UpgradeStep } from "../scene.ts";
import { awaitNodes, tryAdmit } from "./new-nodes.ts";
import { lookAgain, lookEvery, suspensionOf, tryAwaitResumed } from "./waits.ts";

/** Each node has two turns: a blocked one is tried again after all others. */
const turns = 2;

interface Placed {
  readonly candidate: Candidate;
  readonly progress: Progress;
}

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

const placeOf = ({ node }: Candidate, { bookmark }: UpgradeScene): Progress =>
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
function tryTidy(placed: readonly Placed[], { bookmark }: UpgradeScene): UpgradeStep | undefined {
  const blocked = nodesAt(placed, "blocked").filter(isMarked);
  if (blocked.length > 0) return { kind: "reopen", nodes: blocked };
  const untouched = nodesAt(placed, "untouched");
  const uncounted = untouched.filter((node) => tryCounted(node, bookmark.id) === undefined);
  if (bookmark.options.order === "emptiest" && uncounted.length > 0)
    return { kind: "count", nodes: uncounted };
  if (bookmark.options.cordon !== "all" || bookmark.phase !== "upgrade") return undefined;
  const open = [...untouched, ...nodesAt(placed, "blocked")].filter(
    ({ unschedulable }) => !unschedulable,
  );
  return open.length === 0 ? undefined : { kind: "cordon", nodes: open };
}

const nodesAt = (placed: readonly Placed[], kind: Progress["kind"]): readonly FleetNode[] =>
  placed.flatMap(({ candidate: { node }, progress }) =>
    node !== "absent" && progress.kind === kind ? [node] : [],
  );

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
    return { kind: "wait", reason: "drained nodes leave load balancers", until, since: "as it is" };
  const [first] = leaving;
  if (first === undefined) return undefined;
  const reason = `${leaving.length} instances end, such as ${first.id} (${first.state})`;
  return lookAgain(reason, scene);
}

interface Batch {
  readonly scene: UpgradeScene;
  readonly roster: Roster;
  readonly batch: number;
}

function nextBatch(placed: readonly Placed[], { scene, roster, batch }: Batch): UpgradeStep {
  const { now, bookmark, pending } = scene;
  const suspended = tryAwaitResumed(scene);
  if (suspended !== undefined) return suspended;
  const waiting = waitingIn(placed);
  if (waiting.length === 0) return blockedForGood(placed, scene);
  if (isOutOfTime(bookmark, now))
    return { kind: "fail", issue: { code: "TimeLimitExceeded", message: timeLeft(placed) } };
  const unready = [...roster.old, ...roster.fresh].filter((one) => !serves(one)).length;
  const bearing = { unready, pending };
  const brake = brakeOf(bookmark, bearing, { now, nextLook: later(now, lookEvery) });
  if (brake.kind === "held")
    return { kind: "wait", reason: brake.reason, until: brake.until, since: "anew" };
  const size = Math.min(batch, waiting.length);
  const present = roster.old.length + roster.valid.length;
  const floor = floorOf(scene, batch);
  if (present - size < floor) {
    const reason = `${present} nodes of old and new ones, and ${floor + size} are needed before the next may go`;
    return awaitNodes(reason, scene, roster);
  }
  const next = nextOf(waiting, scene).slice(0, size);
  const stranger = next.find(({ node }) => node !== "absent" && node.providerId === "");
  return stranger === undefined
    ? begun(next, scene)
    : awaitNodes(strangeness(stranger), scene, roster);
}

/** A drain leaves a node alone whose name alone says which instance it runs on. */
const strangeness = ({ instance, node }: Candidate): string =>
  `node ${node === "absent" ? "" : node.name} has no provider ID, so that nobody knows for sure that it is the one of old instance ${instance.id}`;

/** Blocked nodes have their second turn when no other node is left. */
function waitingIn(placed: readonly Placed[]): readonly Placed[] {
  const untouched = placed.filter(({ progress }) => progress.kind === "untouched");
  return untouched.length > 0 ? untouched : placed.filter((one) => hasTurnLeft(one));
}

const hasTurnLeft = ({ progress }: Placed): boolean =>
  progress.kind === "blocked" && progress.turn.number < turns;

/** How many nodes the group has at least while a batch is out; somebody may have made it smaller meanwhile. */
function floorOf({ bookmark: { before, options }, fleet }: UpgradeScene, batch: number): number {
  const { desired } = fleet.sizes;
  return options.strategy === "MINIMAL"
    ? Math.min(before.sizes.desired, desired) - batch
    : Math.min(before.sizes.desired, desired - batch);
}

/** The nodes that wait, in their order. */
function nextOf(
  waiting: readonly Placed[],
  { bookmark: { id, options } }: UpgradeScene,
): readonly Candidate[] {
  const candidates = waiting.map(({ candidate }) => candidate);
  const pods = new Map(
    candidates.flatMap(({ node }) =>
      node === "absent" ? [] : [[node.name, tryCounted(node, id) ?? 0]],
    ),
  );
  return inOrder(candidates, { id, order: options.order, pods });
}

function begun(next: readonly Candidate[], { now, bookmark }: UpgradeScene): UpgradeStep {
  const without = next.filter(({ node }) => node === "absent").map(({ instance }) => instance.id);
  if (without.length > 0) return { kind: "terminate", instances: without, capacity: "kept" };
  const turnsOf = next.flatMap(({ node }) =>
    node === "absent" ? [] : [{ node, turn: { number: numberOf(node, bookmark.id), begun: now } }],
  );
  return { kind: "begin", turns: turnsOf };
}

function numberOf(node: FleetNode, id: string): number {
  const progress = progressOf(node, id);
  return progress.kind === "blocked" ? progress.turn.number + 1 : 1;
}

function blockedForGood(placed: readonly Placed[], { bookmark }: UpgradeScene): UpgradeStep {
  const lines = placed.flatMap(({ candidate: { node }, progress }) =>
    node !== "absent" && progress.kind === "blocked" ? [`node ${node.name}: ${progress.left}`] : [],
  );
  const message = [`${lines.length} nodes could not be drained`, ...lines].join("; ");
  const { id } = bookmark;
  return {
    kind: "fail",
    issue: { code: "PodEvictionFailure", message: `upgrade ${id}: ${message}` },
  };
}

const timeLeft = (placed: readonly Placed[]): string =>
  `the time of the upgrade is up, and ${placed.length} nodes are still old`;
