import { launchText } from "../group/scaling-group.ts";
import type { StepOf, UpgradeScene } from "./scene.ts";
import type { Acted, UpgradeTools } from "./upgrade-tools.flow.ts";

/** Sets the launch template of the group. */
export async function launchBy(
  { template }: Pick<StepOf<"launch-by">, "template">,
  { group, bookmark }: UpgradeScene,
  { ports: { groups, journal } }: UpgradeTools,
): Promise<Acted> {
  await groups.launchBy(group.name, template);
  const to = launchText({ kind: "template", template });
  const before = launchText(group.source);
  journal.record({ kind: "upgrade-launches", upgrade: bookmark.id, to, before });
  return "go on";
}
