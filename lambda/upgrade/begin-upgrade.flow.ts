import { type Fleet, type NamedTemplate, templateOf } from "../group/fleet.ts";
import type { DescribedVersion } from "../group/fleets.port.ts";
import { isUnderUpgrade } from "../group/upgrade-tags.ts";
import type { Bookmark } from "./bookmark.ts";
import { bookmarkTags } from "./bookmark-tags.ts";
import { claimStart } from "./claim-start.flow.ts";
import { tryEnded } from "./ended-tags.ts";
import { findTarget } from "./find-target.flow.ts";
import type { FleetNode } from "./fleet-node.ts";
import { type Issue, issueText } from "./issues.ts";
import type { UpgradeCommand } from "./request.ts";
import { endingOf, refusals, refusedPool, tryVersionBefore } from "./setup.ts";
import { cordonOf, unplacedPods } from "./unplaced-pods.flow.ts";
import type { UpgradeTools } from "./upgrade-tools.flow.ts";

/** What somebody wants who starts an upgrade. */
export type Start = Extract<UpgradeCommand, { readonly kind: "start" }>;

/** How an upgrade has begun, if another message has not begun one meanwhile; `refused` when nothing was changed. */
export type Begun =
  | { readonly kind: "begun" }
  | { readonly kind: "refused"; readonly reasons: readonly string[] };

const refused = (...issues: readonly Issue[]): Begun => ({
  kind: "refused",
  reasons: issues.map(issueText),
});

/** Begins an upgrade: looks whether it can be done, finds or makes the version, and says so in the tags before anything else changes. */
export async function beginUpgrade(
  start: Start,
  fleet: Fleet,
  tools: UpgradeTools,
): Promise<Begun> {
  const { group, to } = start;
  const { fleets, fleetNodes, templates } = tools.ports;
  const [nodes, refresh, server] = await Promise.all([
    fleetNodes.nodesOf(fleet.instances.map(({ id }) => id)),
    fleets.refresh(group),
    tools.server(),
  ]);
  const issues = refusals({ group, fleet, nodes, refresh, to, server });
  const template = templateOf(fleet.source);
  if (issues.length > 0 || template === "none") return refused(...issues);
  const named = await templates.version(template);
  if (named === "absent") return refused(noSuchTemplate(template));
  const current = await versionBefore(named, start, tools);
  const target = await findTarget(start, current, tools);
  if ("code" in target) return refused(target);
  const pool = refusedPool(fleet, target);
  if (pool.length > 0) return refused(...pool);
  const pods = await unplacedPods(start, { fleet, target }, tools);
  if (pods.length > 0) return refused(...pods);
  const cordon = await cordonOf(start, { fleet, target }, tools);
  const options = { ...start.options, cordon };
  return bookmarked({ ...start, options }, { template, target, nodes }, tools);
}

const noSuchTemplate = ({ template, version }: NamedTemplate): Issue => ({
  code: "Ec2LaunchTemplateNotFound",
  message: `the group launches by version ${version} of ${template}, which is not there`,
});

/** The version that the group launched by before this upgrade, whose earlier pass may have made the new one already. */
async function versionBefore(
  named: DescribedVersion,
  { id }: Start,
  { ports: { templates } }: UpgradeTools,
): Promise<DescribedVersion> {
  const before = tryVersionBefore(named, id);
  const found = before === undefined ? "absent" : await templates.version(before);
  return found === "absent" ? named : found;
}

interface Found {
  readonly template: NamedTemplate;
  readonly target: DescribedVersion;
  readonly nodes: readonly FleetNode[];
}

/** What another message has begun while this one looked would begin anew, with the sizes of its surge for those of before. */
async function bookmarked(
  { id, group, to, options }: Start,
  { template, target, nodes }: Found,
  tools: UpgradeTools,
): Promise<Begun> {
  const { clock, fleets, fleetNodes } = tools.ports;
  const pending = await fleetNodes.pendingPods();
  if ((await claimStart(id, nodes, tools)) === "taken") return { kind: "begun" };
  const fleet = await fleets.fleet(group);
  if (fleet === "absent" || isTaken(fleet, id)) return { kind: "begun" };
  const now = clock.now();
  const bookmark: Bookmark = {
    ...{ id, carrier: id, phase: "set-up", state: "running", issue: "", options, overtaken: [] },
    ...{ begun: now, told: now, entered: now, since: now, seen: now, roomy: now },
    size: fleet.sizes.desired,
    to: { template: target.template, version: target.version },
    ending: endingOf(to, template.version, target),
    before: { template, sizes: fleet.sizes, pending },
  };
  await fleets.tag(group, bookmarkTags(bookmark));
  return { kind: "begun" };
}

const isTaken = ({ tags }: Fleet, id: string): boolean =>
  isUnderUpgrade(tags) || tryEnded(tags)?.id === id;
