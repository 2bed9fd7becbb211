import type { RepairPlan } from "./repair-plan.ts";
import type { RepairPolicy } from "./repair-policy.ts";
import type { Survey } from "./survey.ts";

/** Says what is wrong with the instances of a survey, and what is done about each of them now. */
export const judgeRepairs = (_survey: Survey, _policy: RepairPolicy): RepairPlan => ({
  cases: [],
  undo: [],
  records: [],
  orphans: [],
});
