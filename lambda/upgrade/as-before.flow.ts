import { type NamedTemplate, type ScalingGroup, templateOf } from "../group/scaling-group.ts";
import type { Bookmark } from "./bookmark.ts";
import { launchBy } from "./launch-by.flow.ts";
import type { StepOf, UpgradeScene } from "./scene.ts";
import { tryVersionBefore, undoingOf } from "./setup.ts";
import type { Acted, UpgradeTools } from "./upgrade-tools.flow.ts";

/**
 * Makes the group launch by the version from before the upgrade. If that is a name that now means the new version,
 * first creates a version like the one before. If AWS denies that, the group launches by the number of the one before.
 */
export async function launchAsBefore(
  { template }: StepOf<"launch-as-before">,
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<Acted> {
  const before = await versionAsBefore(template, scene.bookmark, tools);
  return launchBy({ template: before }, scene, tools);
}

/**
 * The version by which the group launches as before. If its name means the upgrade's version, creates one like the
 * version before, which the name then means; or returns the number of that one if AWS denies it.
 */
async function versionAsBefore(
  template: NamedTemplate,
  { id: upgrade }: Pick<Bookmark, "id">,
  { ports: { templates } }: UpgradeTools,
): Promise<NamedTemplate> {
  const meant = await templates.version(template);
  const before = meant === "absent" ? undefined : tryVersionBefore(meant, upgrade);
  const from = before === undefined ? "absent" : await templates.version(before);
  if (from === "absent") return template;
  const { image, version } = from;
  const description = undoingOf({ image, from: version, upgrade });
  const made = await templates.make({ from, image, description, token: `${upgrade}-undone` });
  return made === "denied" ? { template: from.template, version } : template;
}

/**
 * Undoes the template version that an upgrade created but that its group never launched by. If the group launches by
 * `$Latest` or `$Default`, and that now means this version, creates a version like the one before. If AWS denies that,
 * the group launches by the number of the one before.
 */
export async function undoUnusedVersion(
  upgrade: Pick<Bookmark, "id">,
  { name, source }: ScalingGroup,
  tools: UpgradeTools,
): Promise<void> {
  const template = templateOf(source);
  if (template === "none" || typeof template.version === "number") return;
  const before = await versionAsBefore(template, upgrade, tools);
  if (before !== template) await tools.ports.groups.launchBy(name, before);
}
