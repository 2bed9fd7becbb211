import type { Command } from "commander";
import type { Happening } from "../../journal/happening.ts";
import type { Picture } from "../../journal/picture.ts";
import { upgradePicture } from "../../journal/upgrade/picture.ts";
import { upgradesIn } from "../../journal/upgrade/story.ts";
import type { Labels } from "../../lambda/base/labels.ts";
import type { Instant } from "../../lambda/base/time.ts";
import type { Node } from "../../lambda/drain/node.ts";
import type { ScalingGroup } from "../../lambda/group/scaling-group.ts";
import type { DeploymentParts } from "../connect/deployment-at.ts";
import type { Foreseen } from "../plan/plan-part.ts";
import { repairLines } from "../repair/repair-case.ts";
import {
  casesIn,
  plannedRepairs,
  type RepairSite,
  repairGaps,
  repairsAt,
} from "../repair/repairs-at.ts";
import type { ClusterStatus, Gap } from "../status/status-schema.ts";
import type { Line } from "../terminal/lines.ts";
import { windowOption } from "../upgrade/upgrade-flags.ts";
import { plannedUpgrade, type WindowOption } from "../upgrade/upgrade-plan.ts";
import { upgradesOf } from "../upgrade/upgrade-report.ts";
import { isUpgraded, upgradeForces, upgradeLine } from "../upgrade/upgrade-status.ts";

// What the commands about a whole cluster tell of each subject besides drains: every subject has its lines here, and its
// forms in shapes-schema.ts. Its command, its link and its replay have theirs in program.ts, doctor/links.ts and replays.ts.

/** What a status reads for subjects alone. */
export const ownReads = async (site: RepairSite) => ({ repairs: await repairsAt(site) });

type OwnReads = Awaited<ReturnType<typeof ownReads>>;

/** What a look has seen of groups, and what is wanted of it. */
interface Seen {
  readonly groups: readonly ScalingGroup[];
  readonly nodes: readonly Node[];
  readonly now: Instant;
  readonly isWanted: (place: { readonly group: string; readonly node: string }) => boolean;
}

/** What a status has of each subject. */
export const ownStatus = (
  { repairs }: OwnReads,
  { groups, nodes, now, isWanted }: Seen,
): Pick<ClusterStatus, "repairs" | "upgrades"> => ({
  upgrades: upgradesOf(groups, nodes, now).filter((one) => isWanted({ ...one, node: "" })),
  repairs: casesIn(repairs).filter(isWanted),
});

/** What a status could not read of each subject. */
export const ownGaps = ({ repairs }: OwnReads, parts: DeploymentParts): readonly Gap[] =>
  repairGaps(repairs, parts);

/** What a status tells people of each subject. */
export const ownStatusLines = ({ upgrades, repairs, cluster }: ClusterStatus): readonly Line[] => [
  ...upgrades.flatMap((one) => upgradeLine(one, cluster)),
  ...repairLines(repairs),
];

/** Whether pods leave past their budgets, by the tags of the group, where a subject drains a node for a reason of its own. */
export const forcesByGroup: Readonly<Partial<Record<string, (tags: Labels) => boolean>>> = {
  upgraded: upgradeForces,
};

/** What is under way with a group, so that nobody else should change its instances. */
export const workOn = (tags: Labels): readonly string[] => (isUpgraded(tags) ? ["an upgrade"] : []);

/** Adds the options of a plan that are about one subject. */
export const addOwnPlanOptions = (command: Command): Command => command.addOption(windowOption());

/** The options of a plan that are about one subject. */
export interface OwnPlanOptions extends WindowOption {}

/** What a plan tells of each subject. */
export async function ownPlan(foreseen: Foreseen, given: OwnPlanOptions) {
  const [{ repairs, ...repairPart }, upgradePart] = await Promise.all([
    plannedRepairs(foreseen),
    plannedUpgrade(foreseen, given),
  ]);
  const parts = [repairPart, upgradePart];
  return {
    summary: { repairs },
    objects: parts.flatMap(({ objects }) => objects),
    pages: parts.flatMap(({ pages }) => pages),
    remarks: parts.flatMap(({ remarks }) => remarks),
    notLookedAt: parts.flatMap(({ notLookedAt }) => notLookedAt),
  };
}

/** What a plan tells of each subject. */
export type OwnPlan = Awaited<ReturnType<typeof ownPlan>>;

/** Work on a whole group, as a log tells of it. */
export interface GroupStory extends Picture {
  readonly kind: "upgrade-timeline";
  readonly id: string;
  /** What the work is called. */
  readonly work: string;
}

/** What a log tells of work on whole groups, and what else it tells. */
export function groupStories(happenings: readonly Happening[]) {
  const { upgrades, others } = upgradesIn(happenings);
  const stories = upgrades.map(
    (one): GroupStory => ({
      kind: "upgrade-timeline",
      work: "upgrade",
      id: one.id,
      ...upgradePicture(one),
    }),
  );
  return { stories, others };
}
