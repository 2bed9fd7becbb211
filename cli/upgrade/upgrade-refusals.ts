import { readBookmark } from "../../lambda/domain/upgrade/bookmark/bookmark-tags.ts";
import type { Fleet } from "../../lambda/domain/upgrade/fleet.ts";
import { CommandFailure } from "../command-failure.ts";
import type { Wanted } from "./upgrade-flags.ts";
import type { UpgradeSite } from "./upgrade-site.ts";

/** Refuses what the upgrade function would refuse, as far as the command can see it. */
export async function assertUpgradable(
  { name, source, tags, suspended }: Fleet,
  _wanted: Wanted,
  _site: UpgradeSite,
): Promise<void> {
  const reading = readBookmark(tags);
  if (reading.kind !== "none")
    throw new CommandFailure(
      `an upgrade of ${name} is under way`,
      `eks-node-lifecycle upgrade status ${name} tells where it is; abort puts back what it has changed`,
    );
  if (source.kind === "configuration")
    throw new CommandFailure(
      `Ec2LaunchTemplateNotFound: group ${name} launches by the launch configuration ${source.name}`,
      "give the group a launch template first",
    );
  if (suspended.length > 0)
    throw new CommandFailure(
      `the processes ${suspended.join(", ")} of group ${name} are suspended`,
      "resume them first",
    );
}
