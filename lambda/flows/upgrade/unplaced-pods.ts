import { later, minutes } from "../../domain/time.ts";
import type { Fleet, TemplateVersion } from "../../domain/upgrade/fleet.ts";
import { type Issue, issueText } from "../../domain/upgrade/issues.ts";
import { batchesIn } from "../../domain/upgrade/outlook/outlook.ts";
import { refusedPods, refusesUnplaced, unplacedIn } from "../../domain/upgrade/outlook/unplaced.ts";
import type { UpgradeCommand } from "../../domain/upgrade/request.ts";
import type { StepOf, UpgradeScene } from "../../domain/upgrade/scene.ts";
import { targetsOf } from "./read-scene.ts";
import { bookmarkProgress, type UpgradeTools } from "./upgrade-tools.ts";

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

const askedEvery = minutes(10);

/**
 * The wait of an upgrade whose pods would find no node any more: a window or a hold may have kept it for days since somebody
 * looked. The nodes of the surge are there by now.
 */
export async function tryAwaitRoom(
  { bookmark, fleet, targets, now }: UpgradeScene,
  tools: UpgradeTools,
): Promise<StepOf<"wait"> | undefined> {
  const { id, options, roomy, since } = bookmark;
  if (!refusesUnplaced(options) || now < later(roomy, askedEvery)) return undefined;
  const { settings } = tools.policy.drain.settingsFor(fleet.tags);
  const tenancies = await tools.ports.fleetNodes.tenancies(fleet.instances.map((one) => one.id));
  const outlook = { id, now, fleet, targets, options, tenancies, settings };
  const alone = { ...outlook, options: { ...options, surge: 0 } };
  const [issue] = refusedPods(unplacedIn(alone, batchesIn(outlook)));
  if (issue !== undefined)
    return { kind: "wait", reason: issueText(issue), until: later(now, minutes(5)), since: "anew" };
  await bookmarkProgress(bookmark, { roomy: now, since }, tools);
  return undefined;
}
