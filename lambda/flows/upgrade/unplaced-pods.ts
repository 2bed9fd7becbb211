import type { Fleet, TemplateVersion } from "../../domain/upgrade/fleet.ts";
import type { Issue } from "../../domain/upgrade/issues.ts";
import { batchesIn } from "../../domain/upgrade/outlook/outlook.ts";
import { refusedPods, refusesUnplaced, unplacedIn } from "../../domain/upgrade/outlook/unplaced.ts";
import type { UpgradeCommand } from "../../domain/upgrade/request.ts";
import { targetsOf } from "./read-scene.ts";
import type { UpgradeTools } from "./upgrade-tools.ts";

interface Found {
  readonly fleet: Fleet;
  readonly target: TemplateVersion;
}

/** Why an upgrade is refused whose pods would find no node; empty where they find one, or nobody minds. */
export async function unplacedPods(
  { id, options }: Extract<UpgradeCommand, { readonly kind: "start" }>,
  { fleet, target }: Found,
  tools: UpgradeTools,
): Promise<readonly Issue[]> {
  if (!refusesUnplaced(options)) return [];
  const { policy, ports } = tools;
  const [targets, tenancies] = await Promise.all([
    targetsOf({ fleet, bookmark: { to: target } }, tools),
    ports.fleetNodes.tenancies(fleet.instances.map((instance) => instance.id)),
  ]);
  const { settings } = policy.drain.settingsFor(fleet.tags);
  const outlook = { id, now: ports.clock.now(), fleet, targets, options, tenancies, settings };
  return refusedPods(unplacedIn(outlook, batchesIn(outlook)));
}
