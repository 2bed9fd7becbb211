import { between, earliest, later, longest, minutes, seconds, shortest } from "../base/time.ts";
import { bookmarkKeys } from "../group-work/upgrade-tags.ts";
import type { Bookmark } from "./bookmark.ts";
import {
  beforeTags,
  endedIssueKey,
  endedTags,
  issueTags,
  progressTags,
  stateTags,
  waitingKey,
} from "./bookmark-tags.ts";
import { issueText } from "./issues.ts";
import { tryLeaving } from "./node-marks.ts";
import { isPutBack } from "./put-back.ts";
import type { StepOf, UpgradeScene } from "./scene.ts";
import { asideText } from "./set-aside.ts";
import { soakOwed } from "./soak.ts";
import { sorted } from "./sorted-instances.ts";
import {
  type Acted,
  again,
  bookmarkProgress,
  done,
  type UpgradeTools,
} from "./upgrade-tools.flow.ts";
import { awaitTargets } from "./waits.ts";

/**
 * Resizes the group. The bookmark is written first if the group grows, and last if it shrinks, so that a group that is
 * larger than its bookmark was enlarged by somebody else.
 */
export async function resize(
  { sizes, size }: StepOf<"resize">,
  { group, bookmark }: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  const { command, ports } = tools;
  if (size > bookmark.size) await bookmarkProgress(bookmark, { size }, tools);
  await ports.groups.resize(command.group, sizes);
  if (size < bookmark.size) await bookmarkProgress(bookmark, { size }, tools);
  const { desired, max } = { ...group.sizes, ...sizes };
  ports.journal.record({ kind: "upgrade-sized", upgrade: bookmark.id, desired, max });
  return "go on";
}

/** Takes a size that somebody else has set for the size before the upgrade. */
export async function adopt(
  { before, size }: StepOf<"adopt">,
  { bookmark }: UpgradeScene,
  { command: { group }, ports: { clock, groups } }: UpgradeTools,
): Promise<Acted> {
  const now = clock.now();
  const progress = progressTags({ ...bookmark, size, since: now, seen: now });
  await groups.tag(group, { ...beforeTags(before), ...progress });
  return "go on";
}

/** Terminates instances through their hooks. */
export async function terminate(
  { instances, capacity }: Pick<StepOf<"terminate">, "capacity" | "instances">,
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  const { groups, journal } = tools.ports;
  const { id: upgrade } = scene.bookmark;
  await bookmarkProgress(scene.bookmark, capacity === "kept" ? soakOwed(scene) : {}, tools);
  for (const instance of instances) await groups.terminate(instance, capacity);
  journal.record({ kind: "upgrade-terminated", upgrade, instances });
  const nodes = sorted(scene).old.flatMap(({ instance, node }) =>
    node !== "absent" && instances.includes(instance.id) ? [node.name] : [],
  );
  if (nodes.length > 0)
    journal.record({ kind: "upgrade-nodes", upgrade, deed: "replaced", nodes, left: [] });
  const { desired, max } = scene.group.sizes;
  if (capacity === "shrinks")
    journal.record({ kind: "upgrade-sized", upgrade, desired: desired - instances.length, max });
  return "go on";
}

/** Terminates one of some new instances, once target groups have enough healthy targets without it. */
export async function endOne(
  { candidates, capacity }: StepOf<"end-one">,
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  const { chooseToEnd } = await import("./target-hold.flow.ts");
  const choice = await chooseToEnd(candidates, scene, tools);
  if (choice.kind === "noted") return "go on";
  if (choice.kind === "held") return waitUntil(awaitTargets(choice.reasons, scene), scene, tools);
  await tellHeld("", scene.bookmark, tools);
  return terminate({ instances: [choice.instance], capacity }, scene, tools);
}

/** Writes the tag that says what holds an upgrade; empty if nothing does. A step that fails the upgrade has written why. */
export async function tellHeld(
  issue: string,
  bookmark: Bookmark,
  { command: { group }, ports: { groups } }: UpgradeTools,
): Promise<void> {
  if (bookmark.state !== "running" && bookmark.state !== "rolling-back") return;
  const key = bookmarkKeys.issue;
  const tags = issueTags(issue, "upgrade-held");
  if (tags[key] === issueTags(bookmark.issue, "upgrade-held")[key]) return;
  if (issue === "") await groups.untag(group, [key]);
  else await groups.tag(group, tags);
}

const longestWait = minutes(60);

const notedEvery = minutes(1);

/** Waits until the next look. */
export async function waitUntil(
  { reason, until, since, shownIn }: StepOf<"wait">,
  { bookmark, now }: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  await tellHeld(shownIn === "in the tags" ? reason : "", bookmark, tools);
  const from = earliest(until, later(now, longestWait));
  if (since === "restarts" && later(bookmark.since, notedEvery) <= from)
    await bookmarkProgress(bookmark, { since: from }, tools);
  return rest(bookmark.id, { reason, until }, tools);
}

/** Has the message come back at that time, or in an hour if that is earlier. */
export function rest(
  upgrade: string,
  { reason, until }: Pick<StepOf<"wait">, "reason" | "until">,
  { ports: { clock, journal } }: Pick<UpgradeTools, "ports">,
): Acted {
  const wait = shortest(longestWait, longest(seconds(1), between(clock.now(), until)));
  journal.record({ kind: "upgrade-held", upgrade, reason, wait });
  return again(wait);
}

export async function enter(
  { phase }: StepOf<"enter">,
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  const entered = tools.ports.clock.now();
  const { old, fresh } = sorted(scene);
  const aside = phase === "scale-down" ? old.length : 0;
  await bookmarkProgress(scene.bookmark, { phase, entered, aside }, tools);
  tellPhaseOver(scene, tools);
  const { id: upgrade } = scene.bookmark;
  const counts = { old: old.length, fresh: fresh.length };
  tools.ports.journal.record({ kind: "upgrade-phase", upgrade, phase, ...counts });
  return "go on";
}

function tellPhaseOver(
  { bookmark: { id: upgrade, phase, entered } }: UpgradeScene,
  { ports: { clock, journal } }: UpgradeTools,
): void {
  const took = between(entered, clock.now());
  journal.record({ kind: "upgrade-phase-over", upgrade, phase, took });
}

/** Marks the upgrade as failing, so that everything is put back. */
export async function failUpgrade(
  { issue }: StepOf<"fail">,
  { bookmark }: UpgradeScene,
  { command: { group }, ports: { groups, journal } }: UpgradeTools,
): Promise<Acted> {
  journal.record({ kind: "upgrade-failing", upgrade: bookmark.id, ...issue });
  const said = issueText(issue);
  await groups.tag(group, stateTags({ ...bookmark, state: "failing", issue: said }));
  return "go on";
}

/**
 * Ends the upgrade. Its outcome is written before the last tags are removed, so that a pass which stops in between is
 * repeated.
 */
export async function endUpgrade(
  { outcome }: StepOf<"end">,
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  const { bookmark, group } = scene;
  const { id } = bookmark;
  const issue =
    outcome === "set-aside" ? asideText(scene) : outcome === "failed" ? bookmark.issue : "";
  if (isPutBack(bookmark)) {
    const { undoUnusedVersion } = await import("./as-before.flow.ts");
    await undoUnusedVersion(bookmark, group, tools);
  }
  const { ports } = tools;
  const at = ports.clock.now();
  await ports.groups.tag(group.name, endedTags({ id, outcome, at, issue }, group.tags));
  const gone = [
    ...Object.values(bookmarkKeys),
    waitingKey,
    ...(issue === "" ? [endedIssueKey] : []),
  ];
  await ports.groups.untag(
    group.name,
    gone.filter((key) => key in group.tags),
  );
  tellLeft(scene, tools);
  tellPhaseOver(scene, tools);
  return done({ kind: "ended", outcome });
}

/** Names the nodes that keep marks of the upgrade, because their writes fail or are undone. */
function tellLeft(scene: UpgradeScene, { ports: { journal } }: UpgradeTools): void {
  const warnings = [
    "keeps the upgrade's annotations and cordon, because its writes fail or are undone",
  ];
  for (const node of scene.nodes.values())
    if (tryLeaving(node, scene) !== undefined)
      journal.record({ kind: "warning", about: `node ${node.name}`, warnings });
}
