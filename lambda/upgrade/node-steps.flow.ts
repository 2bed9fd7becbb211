import { sleepFor } from "../base/clock.port.ts";
import { between, earliest, later, longest, seconds, shortest } from "../base/time.ts";
import { beginTurns } from "./begin-turns.flow.ts";
import { drainBatch } from "./drain-batch.flow.ts";
import type { FleetNode } from "./fleet-node.ts";
import { waitUntil } from "./fleet-steps.flow.ts";
import { doubtedIn } from "./new-nodes.ts";
import {
  tryCordoning,
  tryCountMarking,
  tryReopening,
  tryRestoring,
  tryUncordoning,
  validatedMarking,
} from "./node-marks.ts";
import { enter } from "./phase-steps.flow.ts";
import { checksOf } from "./read-scene.flow.ts";
import { rosterOf } from "./roster.ts";
import type { StepOf, UpgradeScene } from "./scene.ts";
import { tryAwaitRoom } from "./unplaced-pods.flow.ts";
import { type Acted, again, bookmarkProgress, type UpgradeTools } from "./upgrade-tools.flow.ts";
import { type NodesWrite, writeNodes } from "./write-nodes.flow.ts";

const beforeSecondLook = seconds(10);

/** Looks at the first new nodes a second time. One that is no longer valid has to become valid again. */
export async function confirm(
  { phase }: StepOf<"confirm">,
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  const { clock, fleetNodes } = tools.ports;
  await sleepFor(beforeSecondLook, clock);
  const valid = rosterOf(scene).valid.map(({ instance }) => instance.id);
  const found = await fleetNodes.nodesOf(valid);
  const nodes = new Map([...scene.nodes, ...found.map((node) => [node.instance, node] as const)]);
  const checks = await checksOf(found, scene.bookmark, tools);
  const seen = { ...scene, nodes, checks };
  const doubted = doubtedIn(seen);
  if (doubted.length === 0 && found.length > 0) return enter({ kind: "enter", phase }, seen, tools);
  const change = (node: FleetNode) => tryRestoring(node, []);
  await writeNodes({ upgrade: scene.bookmark.id, deed: "doubted", nodes: doubted, change }, tools);
  return again(beforeSecondLook);
}

/** Drains the nodes whose turn it is for the rest of the pass. */
export async function drain(
  { turns, until }: StepOf<"drain">,
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  const passEnds = earliest(tools.passEnds, until);
  const wait = await drainBatch({ scene, turns, until: passEnds }, tools);
  // The others have their time from here on. While the upgrade is paused, somebody may resume it meanwhile.
  if (wait === 0 && scene.bookmark.state !== "paused")
    await bookmarkProgress(scene.bookmark, {}, tools);
  const untilDue = longest(seconds(0), between(tools.ports.clock.now(), until));
  return wait === 0 ? "go on" : again(shortest(wait, untilDue));
}

/** Begins turns, if pods have room elsewhere and load balancers allow it. */
export async function begin(
  { turns }: StepOf<"begin">,
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  const crowded = await tryAwaitRoom(scene, tools);
  if (crowded !== undefined) return waitUntil(crowded, scene, tools);
  const held = await beginTurns(turns, scene, tools);
  if (held.length === 0) return "go on";
  const until = later(tools.ports.clock.now(), beforeSecondLook);
  const reason = held.join("; ");
  const wait = { kind: "wait", reason, until, since: "as it is", told: "in the tags" } as const;
  return waitUntil(wait, scene, tools);
}

/** Counts the pods of old nodes once, so that every pass chooses by the same counts. */
export async function count(
  { nodes }: StepOf<"count">,
  { bookmark: { id: upgrade } }: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  const counts = await tools.ports.fleetNodes.podCounts(nodes.map(({ name }) => name));
  const change = (node: FleetNode) => tryCountMarking(node, upgrade, counts.get(node.name) ?? 0);
  await writeNodes({ upgrade, deed: "counted", nodes, change }, tools);
  return "go on";
}

type Write = StepOf<"admit" | "cordon" | "reopen" | "restore" | "uncordon">;

/** Writes to nodes what the step is about. */
export async function write(
  { kind, nodes }: Write,
  { taints, bookmark: { id: upgrade } }: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  const writes: Readonly<Record<Write["kind"], Pick<NodesWrite, "change" | "deed">>> = {
    admit: { deed: "validated", change: (node) => validatedMarking(node, upgrade) },
    cordon: { deed: "cordoned", change: (node) => tryCordoning(node, upgrade) },
    reopen: { deed: "reopened", change: (node) => tryReopening(node, taints) },
    restore: { deed: "restored", change: (node) => tryRestoring(node, taints) },
    uncordon: { deed: "restored", change: (node) => tryUncordoning(node, upgrade) },
  };
  await writeNodes({ upgrade, nodes, ...writes[kind] }, tools);
  return "go on";
}
