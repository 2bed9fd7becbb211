import { Duration } from "aws-cdk-lib";
import { repairSettings } from "../lambda/config/settings.ts";
import type { Surroundings } from "./cluster-place.ts";
import { type CompleteProps, repairSettingsOf, settingsOf, wantedBy } from "./complete-props.ts";

/** What the functions that work on groups have in common. */
export function groupWork(props: CompleteProps, surroundings: Surroundings) {
  const { groups, groupTag, nodeRoles, launchTemplates } = props;
  return {
    ...props.function,
    groups,
    surroundings,
    settings: settingsOf(props),
    wanted: wantedBy(props),
    ...(groupTag && { groupTag }),
    ...(nodeRoles && { nodeRoles }),
    ...(launchTemplates && { launchTemplates }),
  };
}

/** What the repair function has besides. */
export function repairWork(props: CompleteProps, surroundings: Surroundings) {
  const work = groupWork(props, surroundings);
  const { every = Duration.seconds(repairSettings.every.default) } = props.repair ?? {};
  return { ...work, settings: { ...work.settings, ...repairSettingsOf(props) }, every };
}
