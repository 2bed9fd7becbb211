import type { Labels } from "../../lambda/base/labels.ts";
import type { Instant } from "../../lambda/base/time.ts";
import type { Node } from "../../lambda/drain/node.ts";
import type { ScalingGroup } from "../../lambda/group/scaling-group.ts";
import type { DeploymentParts } from "../connect/deployment-at.ts";
import { repairLines } from "../repair/repair-case.ts";
import { casesIn, type RepairSite, repairGaps, repairsAt } from "../repair/repairs-at.ts";
import type { Line } from "../terminal/lines.ts";
import { upgradesOf } from "../upgrade/upgrade-report.ts";
import { upgradeForces, upgradeLine } from "../upgrade/upgrade-status.ts";
import type { ClusterStatus, Gap } from "./status-schema.ts";

// What a status tells of each subject besides drains.

/** What a status reads for subjects alone. */
export const ownReads = async (site: RepairSite) => ({ repairs: await repairsAt(site) });

type OwnReads = Awaited<ReturnType<typeof ownReads>>;

/** What a status has of each subject. */
export const ownStatus = (
  { repairs }: OwnReads,
  {
    groups,
    nodes,
    now,
    isWanted,
  }: {
    readonly groups: readonly ScalingGroup[];
    readonly nodes: readonly Node[];
    readonly now: Instant;
    readonly isWanted: (place: { readonly group: string; readonly node: string }) => boolean;
  },
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
