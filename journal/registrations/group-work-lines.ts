import type { RepairEntry } from "../../lambda/repair/repair-entry.ts";
import type { UpgradeEntry } from "../../lambda/upgrade/upgrade-entry.ts";
import type { ProgressLine } from "../line.ts";
import { isOfRepair, repairLines } from "../repair/repair-lines.ts";
import { isOfUpgrade, upgradeLines } from "../upgrade/upgrade-lines.ts";

type GroupWorkEntry = RepairEntry | UpgradeEntry;

export const isOfGroupWork = <T extends { readonly kind: string }>(
  entry: T,
): entry is Extract<T, GroupWorkEntry> => isOfUpgrade(entry) || isOfRepair(entry);

/** Says what happened to a group, one line for each piece of news. */
export const groupWorkLines = (entry: GroupWorkEntry): readonly ProgressLine[] =>
  isOfUpgrade(entry) ? upgradeLines(entry) : repairLines(entry);
