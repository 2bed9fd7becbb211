import { between } from "../base/time.ts";
import { bookmarkKeys, taggable } from "../group/tags.ts";
import { endedIssueKey, endedTags, stateTags } from "./bookmark-tags.ts";
import { issueText } from "./issues.ts";
import type { StepOf, UpgradeScene } from "./scene.ts";
import { sortedInstances } from "./sorted-instances.ts";
import { type Acted, bookmarkProgress, done, type UpgradeTools } from "./upgrade-tools.flow.ts";

/** Begins a phase. */
export async function enter(
  { phase }: StepOf<"enter">,
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  const entered = tools.ports.clock.now();
  await bookmarkProgress(scene.bookmark, { phase, entered }, tools);
  tellPhaseOver(scene, tools);
  const { old, fresh } = sortedInstances(scene);
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

/** Says that the upgrade cannot go on, so that everything is put back. */
export async function failUpgrade(
  { issue }: StepOf<"fail">,
  { bookmark }: UpgradeScene,
  { command: { group }, ports: { groups, journal } }: UpgradeTools,
): Promise<Acted> {
  journal.record({ kind: "upgrade-failing", upgrade: bookmark.id, ...issue });
  const said = taggable(issueText(issue));
  await groups.tag(group, stateTags({ ...bookmark, state: "failing", issue: said }));
  return "go on";
}

/** The last of the tags go only when the outcome is told: whatever ends in between, ends again. */
export async function endUpgrade(
  { outcome }: StepOf<"end">,
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  const { bookmark, fleet } = scene;
  const { id } = bookmark;
  const issue = outcome === "failed" ? bookmark.issue : "";
  const { command, ports } = tools;
  const { group } = command;
  const at = ports.clock.now();
  await ports.groups.tag(group, endedTags({ id, outcome, at, issue }, fleet.tags));
  const gone = [...Object.values(bookmarkKeys), ...(issue === "" ? [endedIssueKey] : [])];
  await ports.groups.untag(
    group,
    gone.filter((key) => key in fleet.tags),
  );
  tellPhaseOver(scene, tools);
  return done({ kind: "ended", outcome });
}
