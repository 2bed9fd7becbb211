import { tryUnmarking } from "../../domain/node/marking.ts";
import {
  between,
  type Duration,
  earliest,
  later,
  longest,
  minutes,
  seconds,
  shortest,
} from "../../domain/time.ts";
import {
  bookmarkKeys,
  endedIssueKey,
  endedTags,
  stateTags,
  taggable,
} from "../../domain/upgrade/bookmark/bookmark-tags.ts";
import { launchText } from "../../domain/upgrade/fleet.ts";
import { issueText } from "../../domain/upgrade/issues.ts";
import { doubtedIn } from "../../domain/upgrade/new-nodes.ts";
import { cordonMarking, tryRestoring, validatedMarking } from "../../domain/upgrade/node-marks.ts";
import { rosterOf } from "../../domain/upgrade/roster.ts";
import type { UpgradeScene, UpgradeStep } from "../../domain/upgrade/scene.ts";
import type { UpgradeEnd } from "../../domain/upgrade/upgrade-entry.ts";
import { Bell } from "../../ports/bell.ts";
import { beginTurns } from "./begin-turns.ts";
import { drainBatch } from "./drain-batch.ts";
import { checksOf } from "./read-scene.ts";
import { bookmarkProgress, type UpgradeTools } from "./upgrade-tools.ts";
import { marking, type NodesWrite, unmarking, writeNodes } from "./write-nodes.ts";

/** What a step came to: the next look at once, a rest before it, or the end. */
export type Acted =
  | { readonly kind: "go on" }
  | { readonly kind: "rest"; readonly wait: Duration }
  | { readonly kind: "end"; readonly end: UpgradeEnd };

const goOn = { kind: "go on" } as const satisfies Acted;
type Of<Kind extends UpgradeStep["kind"]> = Extract<UpgradeStep, { readonly kind: Kind }>;

/** Does one step of an upgrade. */
export async function act(
  step: UpgradeStep,
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  switch (step.kind) {
    case "launch-by":
      return launchBy(step, scene, tools);
    case "enter":
      return enter(step, scene, tools);
    case "resize":
      return resize(step, scene, tools);
    case "confirm":
      return confirm(step, scene, tools);
    case "drain":
      return drain(step, scene, tools);
    case "terminate":
      return terminate(step, scene, tools);
    case "fail":
      return fail(step, scene, tools);
    case "end":
      return end(step, scene, tools);
    case "hold":
      return hold(step, scene, tools);
    case "wait":
      return rest(step, scene, tools);
    case "begin":
      return begin(step, scene, tools);
    case "admit":
    case "cordon":
    case "reopen":
    case "restore":
      return write(step, scene, tools);
  }
}

async function launchBy(
  { template }: Of<"launch-by">,
  { fleet, bookmark }: UpgradeScene,
  { command: { group }, ports: { fleets, journal } }: UpgradeTools,
): Promise<Acted> {
  await fleets.launchBy(group, template);
  const to = launchText({ kind: "template", template });
  const before = launchText(fleet.source);
  journal.record({ kind: "upgrade-launches", upgrade: bookmark.id, to, before });
  return goOn;
}

async function enter(
  { phase }: Of<"enter">,
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  const entered = tools.ports.clock.now();
  await bookmarkProgress(scene.bookmark, { phase, entered }, tools);
  tellPhaseOver(scene, tools);
  const { old, fresh } = rosterOf(scene);
  const { id: upgrade } = scene.bookmark;
  const counts = { old: old.length, fresh: fresh.length };
  tools.ports.journal.record({ kind: "upgrade-phase", upgrade, phase, ...counts });
  return goOn;
}

function tellPhaseOver(
  { bookmark: { id: upgrade, phase, entered } }: UpgradeScene,
  { ports: { clock, journal } }: UpgradeTools,
): void {
  const took = between(entered, clock.now());
  journal.record({ kind: "upgrade-phase-over", upgrade, phase, took });
}

/** A group that grows is bookmarked first and one that shrinks last, so that a larger group than bookmarked is somebody else's. */
async function resize(
  { sizes, size }: Of<"resize">,
  { fleet, bookmark }: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  const { command, ports } = tools;
  const grows = size > bookmark.size;
  if (grows) await bookmarkProgress(bookmark, { size }, tools);
  await ports.fleets.resize(command.group, sizes);
  if (size < bookmark.size) await bookmarkProgress(bookmark, { size }, tools);
  const { desired, max } = { ...fleet.sizes, ...sizes };
  ports.journal.record({ kind: "upgrade-sized", upgrade: bookmark.id, desired, max });
  return goOn;
}

const beforeSecondLook = seconds(10);

/** Looks at the first new nodes a second time. One that is no longer valid has to become valid again. */
async function confirm(
  { phase }: Of<"confirm">,
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  const { clock, fleetNodes } = tools.ports;
  await clock.sleep(later(clock.now(), beforeSecondLook), new Bell());
  const valid = rosterOf(scene).valid.map(({ instance }) => instance.id);
  const found = await fleetNodes.nodesOf(valid);
  const nodes = new Map([...scene.nodes, ...found.map((node) => [node.instance, node] as const)]);
  const checks = await checksOf(found, scene.bookmark, tools);
  const again = { ...scene, nodes, checks };
  const doubted = doubtedIn(again);
  if (doubted.length === 0 && found.length > 0)
    return enter({ kind: "enter", phase }, again, tools);
  const change = (node: (typeof doubted)[number]) => unmarking(tryRestoring(node, []));
  await writeNodes({ upgrade: scene.bookmark.id, deed: "doubted", nodes: doubted, change }, tools);
  return { kind: "rest", wait: beforeSecondLook };
}

async function drain(
  { turns, until }: Of<"drain">,
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  const passEnds = earliest(tools.passEnds, until);
  const wait = await drainBatch({ scene, turns, until: passEnds }, tools);
  // The others have their time from here on.
  if (wait === 0) await bookmarkProgress(scene.bookmark, {}, tools);
  const untilDue = longest(seconds(0), between(tools.ports.clock.now(), until));
  return wait === 0 ? goOn : { kind: "rest", wait: shortest(wait, untilDue) };
}

async function terminate(
  { instances, capacity }: Of<"terminate">,
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  const { fleets, journal } = tools.ports;
  const { id: upgrade } = scene.bookmark;
  await bookmarkProgress(scene.bookmark, {}, tools);
  for (const instance of instances) await fleets.terminate(instance, capacity);
  journal.record({ kind: "upgrade-terminated", upgrade, instances });
  const nodes = rosterOf(scene).old.flatMap(({ instance, node }) =>
    node !== "absent" && instances.includes(instance.id) ? [node.name] : [],
  );
  if (nodes.length > 0)
    journal.record({ kind: "upgrade-nodes", upgrade, deed: "replaced", nodes, left: [] });
  return goOn;
}

async function fail(
  { issue }: Of<"fail">,
  { bookmark }: UpgradeScene,
  { command: { group }, ports: { fleets, journal } }: UpgradeTools,
): Promise<Acted> {
  journal.record({ kind: "upgrade-failing", upgrade: bookmark.id, ...issue });
  const said = taggable(issueText(issue));
  await fleets.tag(group, stateTags({ ...bookmark, state: "failing", issue: said }));
  return goOn;
}

/** The last of the tags go only when the outcome is told: whatever ends in between, ends again. */
async function end(
  { outcome }: Of<"end">,
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  const {
    bookmark: { id, issue },
    fleet,
  } = scene;
  const {
    command: { group },
    ports: { clock, fleets },
  } = tools;
  const at = clock.now();
  await fleets.tag(group, endedTags({ id, outcome, at, issue }));
  const gone = [...Object.values(bookmarkKeys), ...(issue === "" ? [endedIssueKey] : [])];
  await fleets.untag(
    group,
    gone.filter((key) => key in fleet.tags),
  );
  tellPhaseOver(scene, tools);
  return { kind: "end", end: { kind: "ended", outcome } };
}

const longestWait = minutes(60);

const toldEvery = minutes(1);

async function hold(step: Of<"hold">, scene: UpgradeScene, tools: UpgradeTools): Promise<Acted> {
  const { bookmark, now } = scene;
  const since = earliest(step.until, later(now, longestWait));
  if (later(bookmark.since, toldEvery) <= since) await bookmarkProgress(bookmark, { since }, tools);
  return rest({ ...step, kind: "wait" }, scene, tools);
}

function rest(
  { reason, until }: Of<"wait">,
  { bookmark }: UpgradeScene,
  { ports: { clock, journal } }: UpgradeTools,
): Acted {
  const wait = shortest(longestWait, longest(seconds(1), between(clock.now(), until)));
  journal.record({ kind: "upgrade-held", upgrade: bookmark.id, reason, wait });
  return { kind: "rest", wait };
}

async function begin(
  { turns }: Of<"begin">,
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  const held = await beginTurns(turns, scene, tools);
  if (held.length === 0) return goOn;
  const until = later(tools.ports.clock.now(), beforeSecondLook);
  return rest({ kind: "wait", reason: held.join("; "), until }, scene, tools);
}

type Write = Of<"admit" | "cordon" | "reopen" | "restore">;

async function write(
  { kind, nodes }: Write,
  { taints, bookmark: { id: upgrade } }: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  const changes: Readonly<Record<Write["kind"], NodesWrite["change"]>> = {
    admit: (node) => marking(validatedMarking(node, upgrade)),
    cordon: () => marking(cordonMarking(upgrade)),
    reopen: (node) => unmarking(tryUnmarking(node, taints)),
    restore: (node) => unmarking(tryRestoring(node, taints)),
  };
  await writeNodes({ upgrade, deed: deeds[kind], nodes, change: changes[kind] }, tools);
  return goOn;
}

const deeds: Readonly<Record<Write["kind"], NodesWrite["deed"]>> = {
  admit: "validated",
  cordon: "cordoned",
  reopen: "reopened",
  restore: "restored",
};
