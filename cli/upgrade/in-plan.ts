import type { Option } from "commander";
import type { Foreseen } from "../plan/plan-part.ts";
import { windowOption } from "./upgrade-flags.ts";
import { plannedUpgrade, type WindowOption } from "./upgrade-plan.ts";
import { plannedVersions } from "./versions-in-plan.ts";

export const options = (): readonly Option[] => [windowOption()];

export async function planned(foreseen: Foreseen, given: WindowOption) {
  const [upgrade, versions] = await Promise.all([
    plannedUpgrade(foreseen, given),
    plannedVersions(foreseen),
  ]);
  const pages = versions.page.length === 0 ? [] : [versions.page];
  return {
    ...upgrade,
    pages: [...upgrade.pages, ...pages],
    notLookedAt: [...upgrade.notLookedAt, ...versions.notLookedAt],
    summary: { versions: versions.blocks },
  };
}
