import type { Labels } from "../../lambda/base/labels.ts";
import type { DeploymentParts } from "../connect/deployment-at.ts";
import type { Gap } from "../status/gap-schema.ts";
import type { OwnFacts, OwnSite } from "../status/own-facts.ts";
import type { Line } from "../terminal/lines.ts";
import { upgradesOf } from "./upgrade-report.ts";
import type { UpgradeSummary } from "./upgrade-schema.ts";
import { upgradeForces, upgradeLine } from "./upgrade-status.ts";

/** A status reads the groups for itself, and their tags have the upgrades. */
export const read = async (_site: OwnSite) => ({
  fields: ({ groups, nodes, now, isWanted }: OwnFacts) => ({
    upgrades: upgradesOf(groups, nodes, now).filter((one) => isWanted({ ...one, node: "" })),
  }),
  gaps: (_parts: DeploymentParts): readonly Gap[] => [],
});

export const lines = ({
  upgrades,
  cluster,
}: {
  readonly upgrades: readonly UpgradeSummary[];
  readonly cluster: string;
}): readonly Line[] => upgrades.flatMap((one) => upgradeLine(one, cluster));

export const forces: Readonly<Partial<Record<string, (tags: Labels) => boolean>>> = {
  upgraded: upgradeForces,
};
