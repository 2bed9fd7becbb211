import type { Option } from "commander";
import type { Foreseen } from "../plan/plan-part.ts";
import { windowOption } from "./upgrade-flags.ts";
import { plannedUpgrade, type WindowOption } from "./upgrade-plan.ts";

export const options = (): readonly Option[] => [windowOption()];

export const planned = async (foreseen: Foreseen, given: WindowOption) => ({
  ...(await plannedUpgrade(foreseen, given)),
  summary: {},
});
