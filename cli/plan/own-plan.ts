import type { Command } from "commander";
import { type AllOf, merged } from "../../lib/merged.ts";
import * as subjects from "../own-commands.ts";
import type { Foreseen } from "./plan-part.ts";

// Ill nodes are shown before what an upgrade would do.
const loads = Object.values(subjects).toReversed();
const parts = await Promise.all(loads.map(({ inPlan }) => inPlan()));

type Part = (typeof parts)[number];

/** Adds the options of a plan that are about one subject. */
export const addOwnPlanOptions = (command: Command): Command => {
  for (const option of parts.flatMap(({ options }) => options())) command.addOption(option);
  return command;
};

/** The options of a plan that are about one subject. */
export type OwnPlanOptions = AllOf<Parameters<Part["planned"]>[1]>;

/** The parts of a plan that subjects add. */
export async function ownPlan(foreseen: Foreseen, given: OwnPlanOptions) {
  const all = await Promise.all(parts.map(({ planned }) => planned(foreseen, given)));
  return {
    summary: merged(all.map(({ summary }) => summary)),
    objects: all.flatMap(({ objects }) => objects),
    pages: all.flatMap(({ pages }) => pages),
    remarks: all.flatMap(({ remarks }) => remarks),
    notLookedAt: all.flatMap(({ notLookedAt }) => notLookedAt),
  };
}

/** The parts of a plan that subjects add. */
export type OwnPlan = Awaited<ReturnType<typeof ownPlan>>;
