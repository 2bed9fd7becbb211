import type { Command } from "commander";
import { plannedRepairs } from "../repair/repairs-at.ts";
import { windowOption } from "../upgrade/upgrade-flags.ts";
import { plannedUpgrade, type WindowOption } from "../upgrade/upgrade-plan.ts";
import type { Foreseen } from "./plan-part.ts";

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
