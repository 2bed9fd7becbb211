import type { Fleet } from "../../lambda/group/fleet.ts";
import { issueText } from "../../lambda/upgrade/issues.ts";
import { readBookmark } from "../../lambda/upgrade/read-bookmark.ts";
import type { UpgradeTarget } from "../../lambda/upgrade/request.ts";
import { refusals } from "../../lambda/upgrade/setup.ts";
import { CommandFailure } from "../command-failure.ts";
import type { UpgradeSite } from "./upgrade-site.ts";

/** Refuses what the upgrade function would refuse, before anything is sent to it. */
export async function assertUpgradable(
  fleet: Fleet,
  to: UpgradeTarget,
  site: UpgradeSite,
): Promise<void> {
  const { name, tags } = fleet;
  const reading = readBookmark(tags);
  if (reading.kind !== "none")
    throw new CommandFailure(
      `an upgrade of group ${name} is under way`,
      `eks-node-lifecycle upgrade status ${name} tells where it is; abort puts back what it has changed`,
    );
  if (!site.manages(fleet))
    throw new CommandFailure(
      `OperationNotPermitted: the deployment of cluster ${site.cluster} does not manage group ${name}`,
      "add it to groups in the cluster's file, or give it the groupTag, and deploy",
    );
  const [issue] = refusals(await site.setupFacts(fleet, to));
  if (issue !== undefined) throw new CommandFailure(issueText(issue), nothingSent);
  await site.targetsFor(fleet, to);
}

const nothingSent = "nothing was sent; see docs/upgrade.md for what each error means";
