import {
  between,
  earliest,
  later,
  longest,
  minutes,
  seconds,
  shortest,
} from "../../domain/time.ts";
import {
  beforeTags,
  bookmarkKeys,
  progressTags,
  stateTags,
} from "../../domain/upgrade/bookmark/bookmark-tags.ts";
import { endedIssueKey, endedTags } from "../../domain/upgrade/bookmark/ended-tags.ts";
import { taggable } from "../../domain/upgrade/bookmark/tag-words.ts";
import { launchText } from "../../domain/upgrade/fleet.ts";
import { issueText } from "../../domain/upgrade/issues.ts";
import { rosterOf } from "../../domain/upgrade/roster.ts";
import type { StepOf, UpgradeScene } from "../../domain/upgrade/scene.ts";
import { type Acted, again, bookmarkProgress, done, type UpgradeTools } from "./upgrade-tools.ts";

/** Has the group launch by another template. */
export async function launchBy(
  { template }: StepOf<"launch-by">,
  { fleet, bookmark }: UpgradeScene,
  { command: { group }, ports: { fleets, journal } }: UpgradeTools,
): Promise<Acted> {
  await fleets.launchBy(group, template);
  const to = launchText({ kind: "template", template });
  const before = launchText(fleet.source);
  journal.record({ kind: "upgrade-launches", upgrade: bookmark.id, to, before });
  return "go on";
}

/** Begins a phase. */
export async function enter(
  { phase }: StepOf<"enter">,
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  await bookmarkProgress(scene.bookmark, { phase }, tools);
  const { old, fresh } = rosterOf(scene);
  const { id: upgrade } = scene.bookmark;
  const counts = { old: old.length, fresh: fresh.length };
  tools.ports.journal.record({ kind: "upgrade-phase", upgrade, phase, ...counts });
  return "go on";
}

/** A group that grows is bookmarked first and one that shrinks last, so that a larger group than bookmarked is somebody else's. */
export async function resize(
  { sizes, size }: StepOf<"resize">,
  { fleet, bookmark }: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  const { command, ports } = tools;
  if (size > bookmark.size) await bookmarkProgress(bookmark, { size }, tools);
  await ports.fleets.resize(command.group, sizes);
  if (size < bookmark.size) await bookmarkProgress(bookmark, { size }, tools);
  const { desired, max } = { ...fleet.sizes, ...sizes };
  ports.journal.record({ kind: "upgrade-sized", upgrade: bookmark.id, desired, max });
  return "go on";
}

/** Takes what somebody else has made of the group for what it was before. */
export async function adopt(
  { before, size }: StepOf<"adopt">,
  { bookmark }: UpgradeScene,
  { command: { group }, ports: { clock, fleets } }: UpgradeTools,
): Promise<Acted> {
  const now = clock.now();
  const progress = progressTags({ ...bookmark, size, since: now, seen: now });
  await fleets.tag(group, { ...beforeTags(before), ...progress });
  return "go on";
}

/** Ends instances through their hooks. */
export async function terminate(
  { instances, capacity }: StepOf<"terminate">,
  { bookmark }: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  const { fleets, journal } = tools.ports;
  await bookmarkProgress(bookmark, {}, tools);
  for (const instance of instances) await fleets.terminate(instance, capacity);
  journal.record({ kind: "upgrade-terminated", upgrade: bookmark.id, instances });
  return "go on";
}

/** Says that the upgrade cannot go on, so that everything is put back. */
export async function failUpgrade(
  { issue }: StepOf<"fail">,
  { bookmark }: UpgradeScene,
  { command: { group }, ports: { fleets, journal } }: UpgradeTools,
): Promise<Acted> {
  journal.record({ kind: "upgrade-failing", upgrade: bookmark.id, ...issue });
  const said = taggable(issueText(issue));
  await fleets.tag(group, stateTags({ ...bookmark, state: "failing", issue: said }));
  return "go on";
}

/** The last of the tags go only when the outcome is told: whatever ends in between, ends again. */
export async function endUpgrade(
  { outcome }: StepOf<"end">,
  { bookmark: { id, issue }, fleet }: UpgradeScene,
  { command: { group }, ports: { clock, fleets } }: UpgradeTools,
): Promise<Acted> {
  const at = clock.now();
  await fleets.tag(group, endedTags({ id, outcome, at, issue }, fleet.tags));
  const gone = [...Object.values(bookmarkKeys), ...(issue === "" ? [endedIssueKey] : [])];
  await fleets.untag(
    group,
    gone.filter((key) => key in fleet.tags),
  );
  return done({ kind: "ended", outcome });
}

const longestWait = minutes(60);

const toldEvery = minutes(1);

/** Rests until the next look. */
export async function waitUntil(
  { reason, until, since }: StepOf<"wait">,
  { bookmark, now }: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  const { clock, journal } = tools.ports;
  const anew = earliest(until, later(now, longestWait));
  if (since === "anew" && later(bookmark.since, toldEvery) <= anew)
    await bookmarkProgress(bookmark, { since: anew }, tools);
  const wait = shortest(longestWait, longest(seconds(1), between(clock.now(), until)));
  journal.record({ kind: "upgrade-held", upgrade: bookmark.id, reason, wait });
  return again(wait);
}
