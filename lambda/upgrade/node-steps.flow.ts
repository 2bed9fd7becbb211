import { sleepFor } from "../base/clock.port.ts";
import type { NodeName } from "../base/ids.ts";
import { partsOf } from "../base/parts.ts";
import { between, earliest, longest, seconds, shortest } from "../base/time.ts";
import type { NodeWrite } from "../drain/drain.port.ts";
import type { Marking } from "../drain/marking.ts";
import type { MachineNode } from "../drain/node.ts";
import { overOthers } from "../drain/over-others.flow.ts";
import type { Unmarking } from "../drain/unmarking.ts";
import type { DaemonPod } from "../group-work/group-nodes.port.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import { lackingPods, podNames } from "./daemon-sets.ts";
import { drainBatch } from "./drain-batch.flow.ts";
import { enter, waitUntil } from "./group-steps.flow.ts";
import { keepsOld } from "./keep-old.ts";
import { doubtedIn } from "./new-nodes.ts";
import {
  asideMarking,
  attemptMarking,
  progressOf,
  tryCordoning,
  tryCountMarking,
  tryLeaving,
  tryOpeningOld,
  tryReopening,
  tryRestoring,
  tryUncordoning,
  validatedMarking,
} from "./node-marks.ts";
import { checksOf } from "./read-scene.flow.ts";
import type { NodeAttempt, StepOf, UpgradeScene } from "./scene.ts";
import { awaitSoak, soakOwed } from "./soak.ts";
import { sorted } from "./sorted-instances.ts";
import type { UpgradeEntry } from "./upgrade-entry.ts";
import {
  type Acted,
  again,
  bookmarkProgress,
  hasMovedOn,
  noted,
  type UpgradeTools,
} from "./upgrade-tools.flow.ts";
import { awaitTargets } from "./waits.ts";

const beforeSecondLook = seconds(10);

/** Checks the first new nodes a second time. If one is no longer valid, the upgrade waits until it is again. */
export async function confirm(
  { phase }: StepOf<"confirm">,
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  const { clock, groupNodes } = tools.ports;
  await sleepFor(beforeSecondLook, clock);
  const valid = sorted(scene).valid.map(({ instance }) => instance.id);
  const found = await groupNodes.nodesOf(valid);
  const nodes = new Map([...scene.nodes, ...found.map((node) => [node.instance, node] as const)]);
  const checks = await checksOf(found, scene.bookmark, tools);
  if (await hasMovedOn(scene, tools)) return "go on";
  const seen = { ...scene, nodes, checks };
  const doubted = doubtedIn(sorted(seen));
  if (doubted.length === 0 && found.length > 0) return enter({ kind: "enter", phase }, seen, tools);
  await doubt(doubted, scene, tools);
  return again(beforeSecondLook);
}

/** Checks all new nodes during a soak. If one is no longer valid, the soak begins again once it is, as long as that may last. */
export async function watchSoak(
  { until }: StepOf<"watch">,
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  const { valid } = sorted(scene);
  const nodes = valid.flatMap(({ node }) => (node === "absent" ? [] : [node]));
  const checks = await checksOf(nodes, scene.bookmark, tools);
  const doubted = doubtedIn(sorted({ ...scene, checks }));
  if (doubted.length === 0) return waitUntil(awaitSoak(scene, until), scene, tools);
  await bookmarkProgress(scene.bookmark, { soak: "owed" }, tools);
  await doubt(doubted, scene, tools);
  return "go on";
}

/** Has nodes wait until they are valid again. */
function doubt(
  nodes: readonly MachineNode[],
  { bookmark: { id: upgrade } }: UpgradeScene,
  tools: UpgradeTools,
): Promise<void> {
  const change = (node: MachineNode) => tryRestoring(node, []);
  return writeNodes({ upgrade, deed: "doubted", nodes, change }, tools);
}

/** Drains the nodes whose attempt has begun, for the rest of the pass. */
export async function drain(
  { attempts, until }: StepOf<"drain">,
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  const passEnds = earliest(tools.passEnds, until);
  const pause = await drainBatch({ scene, attempts, until: passEnds }, tools);
  // The waits for the other nodes count from this write. A paused upgrade writes nothing, so that it overwrites no resume.
  const { bookmark } = scene;
  if (pause === 0 && bookmark.state !== "paused") {
    const soak = keepsOld(bookmark) ? soakOwed(scene) : {};
    const drains = bookmark.drains + attempts.length;
    await bookmarkProgress(bookmark, { ...soak, drains }, tools);
  }
  const untilDue = longest(seconds(0), between(tools.ports.clock.now(), until));
  return pause === 0 ? "go on" : again(shortest(pause, untilDue));
}

/** Begins attempts, if the pods have room elsewhere and load balancers allow it. */
export async function begin(
  { attempts }: StepOf<"begin">,
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  // Most passes begin no batch.
  const { tryAwaitRoom } = await import("./unplaced-pods.flow.ts");
  const crowded = await tryAwaitRoom(scene, tools);
  if (crowded !== undefined) return waitUntil(crowded, scene, tools);
  tellUncounted(scene, tools);
  const held = await beginAttempts(attempts, scene, tools);
  if (held.length === 0) return "go on";
  return waitUntil(awaitTargets(held, scene), scene, tools);
}

/** Says which pods wait for a node without holding the upgrade, if they would hold it otherwise. */
function tellUncounted({ pending }: UpgradeScene, { ports: { journal } }: UpgradeTools): void {
  const { uncounted: warnings } = pending;
  if (warnings.length > 0)
    journal.record({ kind: "warning", about: "pods that wait for a node", warnings });
}

/** Counts the pods of old nodes once, so that every pass sorts by the same counts. */
export async function count(
  { nodes }: StepOf<"count">,
  { bookmark: { id: upgrade } }: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  const counts = await tools.ports.groupNodes.podCounts(nodes.map(({ name }) => name));
  const change = (node: MachineNode) => tryCountMarking(node, upgrade, counts.get(node.name) ?? 0);
  await writeNodes({ upgrade, deed: "counted", nodes, change }, tools);
  return "go on";
}

type Write = StepOf<"admit" | "cordon" | "open" | "reopen" | "restore" | "set-aside" | "uncordon">;

/** Writes the changes of a step to its nodes. */
export async function write(
  { kind, nodes }: Write,
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  const { taints, bookmark } = scene;
  const { id: upgrade } = bookmark;
  const missed = new Map(
    kind === "admit" ? nodes.map((node) => [node.name, missedOn(node, scene)]) : [],
  );
  const writes: Readonly<Record<Write["kind"], Pick<NodesWrite, "change" | "deed">>> = {
    admit: {
      deed: "validated",
      change: (node) => validatedMarking(node, upgrade, namespacesOf(missed.get(node.name))),
    },
    cordon: { deed: "cordoned", change: (node) => tryCordoning(node, upgrade) },
    open: { deed: "reopened", change: (node) => tryOpeningOld(node, taints) },
    reopen: { deed: "reopened", change: (node) => tryReopening(node, taints) },
    restore: { deed: "restored", change: (node) => tryLeaving(node, scene) },
    "set-aside": { deed: "set-aside", change: (node) => tryAsideMarking(node, upgrade) },
    uncordon: { deed: "restored", change: (node) => tryUncordoning(node, upgrade) },
  };
  await writeNodes({ upgrade, nodes, ...writes[kind] }, tools);
  for (const [node, pods] of missed) tellMissed(node, pods, tools);
  // Load balancers get these nodes back some time later.
  if (kind === "restore" || kind === "open") await bookmarkProgress(bookmark, {}, tools);
  return "go on";
}

/** The change of a node that is set aside; `undefined` if it is no longer blocked. */
function tryAsideMarking(node: MachineNode, upgrade: string): Marking | undefined {
  const progress = progressOf(node, upgrade);
  return progress.kind === "blocked" ? asideMarking(node, upgrade, progress.left) : undefined;
}

/** The pods of DaemonSets that are not ready, although the new node counts as valid. */
const missedOn = (node: MachineNode, scene: UpgradeScene): readonly DaemonPod[] =>
  lackingPods(node, scene.checks.get(node.name)?.daemons ?? [], scene).missed;

const namespacesOf = (pods: readonly DaemonPod[] = []): readonly string[] => [
  ...new Set(pods.map(({ namespace }) => namespace)),
];

function tellMissed(
  node: NodeName,
  pods: readonly DaemonPod[],
  { ports: { journal } }: UpgradeTools,
): void {
  if (pods.length === 0) return;
  const warning = `counts without pods of DaemonSets that are not ready: ${podNames(pods)}; --daemon-sets names the namespaces whose DaemonSets it needs`;
  journal.record({ kind: "warning", about: `node ${node}`, warnings: [warning] });
}

/** Begins these attempts, unless load balancers would then have too few targets; returns the reasons against it. */
async function beginAttempts(
  attempts: readonly NodeAttempt[],
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<readonly string[]> {
  const { bookmark } = scene;
  const { holdOf } = await import("./target-hold.flow.ts");
  const hold = await holdOf(attempts, scene, tools);
  if (hold.kind !== "none") return hold.kind === "held" ? hold.reasons : [];
  const byName = new Map(attempts.map(({ node, attempt }) => [node.name, attempt]));
  await writeNodes(
    {
      upgrade: bookmark.id,
      deed: "chosen",
      nodes: attempts.map(({ node }) => node),
      change: ({ name }) => {
        const attempt = byName.get(name);
        return attempt === undefined ? undefined : attemptMarking(bookmark.id, attempt);
      },
    },
    tools,
  );
  return [];
}

type NodeDeed = Extract<UpgradeEntry, { readonly kind: "upgrade-nodes" }>["deed"];

/** A change of some nodes. A node that others keep writing is left to the next pass. */
interface NodesWrite {
  readonly upgrade: string;
  readonly deed: NodeDeed;
  readonly nodes: readonly MachineNode[];
  /** `undefined` where there is nothing to write. */
  change(node: MachineNode): Marking | Unmarking | undefined;
}

// Spares the API server.
const together = 10;

/**
 * Changes nodes, a few at a time, and logs which were changed. A write that fails stops no other of its part. Nodes whose
 * writes have failed before come last, so that they stop no other part either.
 */
async function writeNodes(write: NodesWrite, tools: UpgradeTools): Promise<void> {
  const { upgrade, deed } = write;
  const failed = (node: MachineNode) => Number(tools.failedWrites.has(node, upgrade));
  const nodes = write.nodes.toSorted((a, b) => failed(a) - failed(b));
  for (const part of partsOf(nodes, together)) {
    const answers = await Promise.allSettled(part.map((node) => written(node, write, tools)));
    const names = part.flatMap(({ name }, at) => {
      const answer = answers[at];
      return answer?.status === "fulfilled" && answer.value === "marked" ? [name] : [];
    });
    if (names.length > 0)
      tools.ports.journal.record({ kind: "upgrade-nodes", upgrade, deed, nodes: names, left: [] });
    const failures = answers.filter((answer) => answer.status === "rejected");
    for (const { reason } of failures.slice(1)) tools.ports.journal.record(faultEntry(reason));
    if (failures[0] !== undefined) throw failures[0].reason;
  }
}

/**
 * Changes one node. If somebody else wrote it meanwhile, as Kubernetes does with a node that was just cordoned, it is read
 * and changed again.
 */
async function written(
  node: MachineNode,
  write: NodesWrite,
  tools: UpgradeTools,
): Promise<NodeWrite> {
  const { clock, groupNodes } = tools.ports;
  let now: MachineNode | undefined = node;
  return overOthers(async () => {
    const answer = now === undefined ? "gone" : await writeOnce(now, write, tools);
    if (answer === "changed") [now] = await groupNodes.nodesOf([node.instance]);
    return answer;
  }, clock);
}

async function writeOnce(
  node: MachineNode,
  { change, upgrade }: NodesWrite,
  tools: UpgradeTools,
): Promise<NodeWrite> {
  const what = change(node);
  if (what === undefined) return "gone";
  return noted(node, upgrade, () => tools.ports.cluster.mark(node, () => what), tools);
}
