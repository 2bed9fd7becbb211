import type { Labels } from "../../lambda/base/labels.ts";
import type { DeploymentParts } from "../connect/deployment-at.ts";
import type { OwnFacts, OwnSite } from "../status/own-facts.ts";
import type { Line } from "../terminal/lines.ts";
import { repairLines } from "./repair-case.ts";
import type { RepairCase } from "./repair-schema.ts";
import { casesIn, repairGaps, repairsAt } from "./repairs-at.ts";

export async function read(site: OwnSite) {
  const found = await repairsAt(site);
  return {
    fields: ({ isWanted }: OwnFacts) => ({ repairs: casesIn(found).filter(isWanted) }),
    gaps: (parts: DeploymentParts) => repairGaps(found, parts),
  };
}

export const lines = ({ repairs }: { readonly repairs: readonly RepairCase[] }): readonly Line[] =>
  repairLines(repairs);

export const forces: Readonly<Partial<Record<string, (tags: Labels) => boolean>>> = {};
