import { later, minutes } from "../base/time.ts";
import type { MachineNode } from "../drain/node.ts";
import { type NamedTemplate, type ScalingGroup, templateOf } from "../group/scaling-group.ts";
import { isUnderUpgrade, leftKeys } from "../group-work/upgrade-tags.ts";
import type { Bookmark } from "./bookmark.ts";
import { bookmarkTags, tryEnded } from "./bookmark-tags.ts";
import type { Issue } from "./issues.ts";
import { claimMarking, isClaimedByOthers } from "./node-marks.ts";
import { pendingPods } from "./pending-pods.flow.ts";
import { descriptionOf, endingOf, refusals, refusedPool, tryVersionBefore } from "./setup.ts";
import { decidePlacement } from "./unplaced-pods.flow.ts";
import type { DescribedVersion } from "./upgrade.port.ts";
import type { StartCommand } from "./upgrade-message.ts";
import { noted, type UpgradeTools } from "./upgrade-tools.flow.ts";

/**
 * Begins an upgrade: checks whether it is possible, finds or makes the launch template version, and writes the bookmark
 * before anything else changes. Returns why nothing was changed; empty if the upgrade has begun, by this message or by
 * another one meanwhile.
 */
export async function beginUpgrade(
  start: StartCommand,
  group: ScalingGroup,
  tools: UpgradeTools,
): Promise<readonly Issue[]> {
  const { to } = start;
  const { groups, groupNodes, templates } = tools.ports;
  const [nodes, refresh, server] = await Promise.all([
    groupNodes.nodesOf(group.instances.map(({ id }) => id)),
    groups.refresh(group.name),
    tools.server(),
  ]);
  const issues = refusals({ group, nodes, refresh, to, server });
  const template = templateOf(group.source);
  if (issues.length > 0 || template === "none") return issues;
  const named = await templates.version(template);
  if (named === "absent") return [noSuchTemplate(template)];
  const current = await versionBefore(named, start, tools);
  const found = await findTarget(start, current, tools);
  if ("code" in found) return [found];
  const pool = refusedPool(group, found);
  if (pool.length > 0) return pool;
  const began = { group, nodes, target: found };
  const { issues: crowded, cordon } = await decidePlacement(start, began, tools);
  if (crowded.length > 0) return crowded;
  const { counted: pending } = await pendingPods(groupNodes);
  // Last of all, because a group that follows the latest version launches by it at once.
  const target = found.version === unmade ? await make(found, start, current, tools) : found;
  if (target === "denied") return [mayMakeNone(current)];
  const options = { ...start.options, cordon };
  await bookmarked({ ...start, options }, { template, target, nodes, pending }, tools);
  return [];
}

/** The number of a version that is not there yet. No instance was launched by it. */
const unmade = 0;

const noSuchTemplate = ({ template, version }: NamedTemplate): Issue => ({
  code: "Ec2LaunchTemplateNotFound",
  message: `the group launches by version ${version} of ${template}, which is not there`,
});

/** The version that the group launched by before this upgrade. An earlier pass may have created the new version already. */
async function versionBefore(
  named: DescribedVersion,
  { id }: StartCommand,
  { ports: { templates } }: UpgradeTools,
): Promise<DescribedVersion> {
  const before = tryVersionBefore(named, id);
  const found = before === undefined ? "absent" : await templates.version(before);
  return found === "absent" ? named : found;
}

/**
 * Writes the bookmark, unless another message has begun an upgrade meanwhile. Otherwise the sizes during its surge would be
 * taken for those before.
 */
async function bookmarked(
  { id, group: name, to, options }: StartCommand,
  {
    template,
    target,
    nodes,
    pending,
  }: {
    readonly template: NamedTemplate;
    readonly target: DescribedVersion;
    readonly nodes: readonly MachineNode[];
    /** The number of pods that wait for a node and count. */
    readonly pending: number;
  },
  tools: UpgradeTools,
): Promise<void> {
  const { clock, groups } = tools.ports;
  if ((await claimStart(id, nodes, tools)) === "taken") return;
  const group = await groups.withPool(name);
  if (group === "absent" || isTaken(group, id)) return;
  const now = clock.now();
  const bookmark: Bookmark = {
    id,
    carrier: id,
    phase: "set-up",
    state: "running",
    issue: "",
    options,
    overtaken: [],
    begun: now,
    told: now,
    entered: now,
    since: now,
    seen: now,
    roomFound: now,
    size: group.sizes.desired,
    unawaited: [],
    unhealthy: new Map(),
    drains: 0,
    soak: "none",
    watched: "none",
    aside: 0,
    to: { template: target.template, version: target.version },
    ending: endingOf(to, template.version, target),
    before: { template, sizes: group.sizes, pending },
  };
  await groups.untag(name, leftKeys(group.tags));
  await groups.tag(name, bookmarkTags(bookmark));
}

const isTaken = ({ tags }: ScalingGroup, id: string): boolean =>
  isUnderUpgrade(tags) || tryEnded(tags)?.id === id;

// Several starts at once take some minutes. A kubelet may write a claim into its own node again and again, or have all writes of
// its node fail.
const longestClaims = minutes(10);

/**
 * Claims the start of an upgrade on the first node of its group whose writes do not fail for long; `taken` if another start
 * has done so, or the node has changed since it was read. The claim is not a tag, because Auto Scaling accepts every write of
 * a tag, and the API server refuses one of two such writes. A group without a node has nothing to upgrade.
 */
async function claimStart(
  id: string,
  nodes: readonly MachineNode[],
  tools: UpgradeTools,
): Promise<"claimed" | "taken"> {
  const { clock, cluster, sightings } = tools.ports;
  const named = nodes.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const isWritten = (node: MachineNode) => tools.failedWrites.failingFor(node, id) < longestClaims;
  const first = named.find(isWritten) ?? named[0];
  if (first === undefined) return "claimed";
  const standing = isClaimedByOthers(first, id, clock.now()) ? "claimed" : "free";
  const since = sightings.since(first.uid, "the start of an upgrade", standing);
  if (standing === "claimed" && clock.now() < later(since, longestClaims)) return "taken";
  const claim = () => cluster.mark(first, () => claimMarking(id, clock.now()));
  const written = await noted(first, id, claim, tools);
  return written === "marked" ? "claimed" : "taken";
}

/** Finds the version that the group is upgraded to, which may have to be made. Returns an issue if there is none. */
async function findTarget(
  { to }: StartCommand,
  current: DescribedVersion,
  tools: UpgradeTools,
): Promise<DescribedVersion | Issue> {
  const { templates, images } = tools.ports;
  const { template } = current;
  switch (to.kind) {
    case "as-it-is":
      return current;
    case "version": {
      const found = await templates.version({ template, version: to.version });
      return found === "absent" ? noSuchVersion(template, to.version) : found;
    }
    case "image":
      return withImage(to.image, current, tools);
    case "parameter": {
      const image = await images.imageIn(to.parameter);
      if (image !== "absent") return withImage(image, current, tools);
      return { code: "AmiIdNotFound", message: `no parameter ${to.parameter} names an image` };
    }
  }
}

const noSuchVersion = (template: string, version: number | string): Issue => ({
  code: "Ec2LaunchTemplateVersionMismatch",
  message: `template ${template} has no version ${version}`,
});

async function withImage(
  image: string,
  current: DescribedVersion,
  tools: UpgradeTools,
): Promise<DescribedVersion | Issue> {
  if (current.image === image) return current;
  const issue = await misfitOf(image, current, tools);
  return issue ?? { ...current, version: unmade, image };
}

/** Makes the version, or finds that an earlier pass has made it. */
async function make(
  { image }: DescribedVersion,
  { id }: StartCommand,
  from: DescribedVersion,
  { ports: { templates } }: UpgradeTools,
): Promise<DescribedVersion | "denied"> {
  const description = descriptionOf({ image, from: from.version, upgrade: id });
  const made = await templates.make({ from, image, description, token: id });
  return made === "denied" ? made : { ...made, image, description };
}

const mayMakeNone = ({ template, version }: DescribedVersion): Issue => ({
  code: "AccessDenied",
  message: `the function may add no version to ${template}: set "launchTemplateVersions": "made" and deploy, or make the version yourself (aws ec2 create-launch-template-version --launch-template-id ${template} --source-version ${version}) and name it with --launch-template-version`,
});

/** Why the group cannot launch instances from an image; `undefined` if it can. */
async function misfitOf(
  wanted: string,
  current: DescribedVersion,
  { ports: { images } }: UpgradeTools,
): Promise<Issue | undefined> {
  const image = await images.image(wanted);
  if (image === "absent") return { code: "AmiIdNotFound", message: `there is no image ${wanted}` };
  if (image.state !== "available")
    return { code: "AmiIdNotFound", message: `image ${wanted} is ${image.state}` };
  const before = current.image === "" ? "absent" : await images.image(current.image);
  if (before === "absent" || before.architecture === image.architecture) return undefined;
  const message = `image ${wanted} is of ${image.architecture}, and the nodes of the group are of ${before.architecture}`;
  return { code: "Ec2LaunchTemplateInvalidConfiguration", message };
}
