import type { InstanceId, NodeName } from "../base/ids.ts";
import { sideBySide } from "../base/side-by-side.ts";
import { asSeen } from "../drain/as-seen.flow.ts";
import type { MachineNode } from "../drain/node.ts";
import {
  type FailedActivity,
  isActive,
  isEnding,
  isLeaving,
  names,
  type ScalingGroup,
} from "../group/scaling-group.ts";
import { zonesNamed } from "../group-work/zone-names.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import type { Bookmark } from "./bookmark.ts";
import { attemptAsSeen, drainedSince } from "./marks-as-seen.flow.ts";
import { askable, zonesWithout } from "./new-nodes.ts";
import type { TargetVersions } from "./old-instances.ts";
import { pendingPods } from "./pending-pods.flow.ts";
import { noPods } from "./pending-pods.ts";
import { isLarger, isMoving, isScaledElsewhere } from "./put-back.ts";
import type { NodeCheck, UpgradeScene } from "./scene.ts";
import { type SortedScene, sorted } from "./sorted-instances.ts";
import type { UpgradeTools } from "./upgrade-tools.flow.ts";

/** A group whose tags have a bookmark. */
export interface UpgradedGroup {
  readonly group: ScalingGroup;
  readonly bookmark: Bookmark;
}

/** Reads the scene of an upgrade in few requests. What only some steps need is read only for those. */
export async function readScene(
  { group, bookmark }: UpgradedGroup,
  tools: UpgradeTools,
): Promise<UpgradeScene> {
  const { policy, ports } = tools;
  const settings = policy.drain.settingsFor(group.tags).settings;
  const [targets, namesTarget, nodes, server, pending, shifted] = await Promise.all([
    targetsOf({ group, bookmark }, tools),
    isNamed({ group, bookmark }, tools),
    isShrinking({ group, bookmark }) ? new Map() : nodesOf({ group, bookmark }, tools),
    tools.server(),
    isBraked(bookmark) ? pendingPods(ports.groupNodes) : noPods,
    mindsShifts(bookmark) ? tools.shifts(ports) : [],
  ]);
  const now = ports.clock.now();
  const { taints } = settings;
  const { startupTaints } = policy;
  const zones = zonesNamed(shifted, nodes.values());
  const read = { targets, namesTarget, nodes, server, pending, shifted: zones };
  const known = { now, group, bookmark, ...read, failures: [] };
  const all = [...nodes.values()];
  const bare = {
    ...known,
    taints,
    startupTaints,
    drainedSince: drainedSince(all, bookmark.id, ports),
    unwritable: await unwritableIn(all, bookmark, tools),
    checks: new Map(),
  };
  const scene = sorted(bare);
  const [failures, checks] = await Promise.all([
    lacksNodes(scene) ? failuresOf({ group, bookmark }, tools) : [],
    checksOf(askable(scene), bookmark, tools),
  ]);
  return { ...bare, failures, checks };
}

/** The nodes that the upgrade ends without. Few upgrades have a node whose writes fail. */
async function unwritableIn(
  nodes: readonly MachineNode[],
  { id }: Bookmark,
  tools: UpgradeTools,
): Promise<UpgradeScene["unwritable"]> {
  if (tools.failedWrites.areNone) return new Set();
  const { unwritableAmong } = await import("./unwritable.flow.ts");
  return unwritableAmong(nodes, id, tools);
}

/** They only say why Auto Scaling launches nothing, so the upgrade goes on where it may not read them. */
async function failuresOf(
  { group, bookmark }: UpgradedGroup,
  { ports: { groups, journal } }: UpgradeTools,
): Promise<readonly FailedActivity[]> {
  try {
    return await groups.failures(group.name, bookmark.since);
  } catch (cause) {
    journal.record(faultEntry(cause));
    return [];
  }
}

/** Whether the group has fewer instances than it should, or none in a zone: it may have launched them in another zone. */
const lacksNodes = (scene: SortedScene): boolean =>
  scene.group.instances.filter(isActive).length < scene.group.sizes.desired ||
  (scene.bookmark.phase === "scale-up" && zonesWithout(scene).length > 0);

const isBraked = ({ state, phase }: Bookmark): boolean =>
  state === "running" && ["canary", "keep", "upgrade"].includes(phase);

/** Whether the upgrade may expect a new node, or drain an old one. */
const mindsShifts = ({ state, phase }: Bookmark): boolean =>
  state === "running" && !["set-up", "scale-down"].includes(phase);

/** Whether a group that is put back launches by a name which means the version of its upgrade. */
async function isNamed(
  { group: { source }, bookmark: { state, before, to } }: UpgradedGroup,
  { ports: { templates } }: UpgradeTools,
): Promise<boolean> {
  const putsBack = state === "aborting" || state === "failing";
  if (!(putsBack && isMoving(before.template.version) && names(source, before.template)))
    return false;
  const meant = await templates.version(before.template);
  return meant !== "absent" && meant.version === to.version;
}

/** The names of the zones that traffic is shifted away from, as far as some nodes tell them. */
export const shiftedAmong = async (
  nodes: readonly MachineNode[],
  { ports, shifts }: UpgradeTools,
): Promise<readonly string[]> => zonesNamed(await shifts(ports), nodes);

/** Whether the upgrade waits until the group is smaller, so that its nodes need not be read. */
function isShrinking(upgraded: UpgradedGroup): boolean {
  const { phase, state } = upgraded.bookmark;
  const isOurs = isLarger(upgraded) && !isScaledElsewhere(upgraded);
  const waits = upgraded.group.instances.some(isLeaving);
  return state === "running" && phase === "scale-down" && isOurs && waits;
}

/** The versions that instances of a group are to be launched by. */
export async function targetsOf(
  { group, bookmark }: Pick<UpgradedGroup, "group"> & { readonly bookmark: Pick<Bookmark, "to"> },
  { ports }: UpgradeTools,
): Promise<TargetVersions> {
  const overrides = group.source.kind === "mixed" ? group.source.overrides : [];
  const versions = await Promise.all(overrides.map((one) => ports.templates.version(one)));
  return [bookmark.to, ...versions.filter((version) => version !== "absent")];
}

/** The nodes of a group. Those in Standby are read too, because their marks are removed at the end. */
async function nodesOf(
  { group, bookmark }: UpgradedGroup,
  { ports }: UpgradeTools,
): Promise<ReadonlyMap<InstanceId, MachineNode>> {
  const staying = group.instances.filter((instance) => !isEnding(instance));
  const nodes = await ports.groupNodes.nodesOf(staying.map(({ id }) => id));
  const seen = nodes.map((node) => attemptAsSeen(asSeen(node, ports), bookmark, ports));
  return new Map(seen.map((node) => [node.instance, node]));
}

// Spares the API server.
const together = 20;

/** Checks new nodes for what their objects do not say. */
export async function checksOf(
  nodes: readonly MachineNode[],
  { options: { check } }: Bookmark,
  { ports: { groupNodes } }: UpgradeTools,
): Promise<ReadonlyMap<NodeName, NodeCheck>> {
  const answersOf = async ({ address }: MachineNode) =>
    check.kind !== "http" ||
    (isPlain(address) && groupNodes.answers(`http://${host(address)}:${check.port}${check.path}`));
  const checkOf = async (node: MachineNode) => {
    const [daemons, answers] = await Promise.all([
      groupNodes.daemonPods(node.name),
      answersOf(node),
    ]);
    return [node.name, { daemons, answers }] as const;
  };
  return new Map(await sideBySide(nodes, together, checkOf));
}

/** Whether a text, which a kubelet says, has nothing in it that would name another port or path than the check's. */
const isPlain = (address: string): boolean => /^[\da-f.:]+$/i.test(address);

/** An address as a URL has it. */
const host = (address: string): string => (address.includes(":") ? `[${address}]` : address);
