import type { DrainPolicy } from "../domain/drain/drain-policy.ts";
import type { Labels } from "../domain/labels.ts";
import { fromEnvironment } from "./config.ts";
import { settingsByGroup } from "./group-settings.ts";
import { clusterNameIn, managedGroupsIn, type Queues, queuesIn, regionIn } from "./place.ts";
import { drainPolicyIn } from "./policies.ts";
import { readSettings } from "./read-settings.ts";
import type { ValuesOf } from "./setting.ts";
import { repairSettings } from "./settings.ts";
import type { Variables } from "./variables.ts";

/** How the instances of a group are repaired. */
export type RepairSettings = ValuesOf<typeof repairSettings>;

/** How instances are repaired, group by group. */
export interface RepairSettingsByGroup {
  /** The settings of a group with these tags, and what is wrong with tags that are ignored. */
  settingsFor(tags: Labels): {
    readonly settings: RepairSettings;
    readonly refused: readonly string[];
  };
}

/** Everything that the repair function was deployed with. */
export interface RepairConfig extends Queues {
  readonly region: string;
  readonly clusterName: string;
  readonly drain: DrainPolicy;
  readonly repair: RepairSettingsByGroup;
}

/** Reads the environment of the repair function. A variable that does not fit is a fault. */
export const parseRepairConfig = (variables: Variables): RepairConfig =>
  Object.freeze({
    region: regionIn(variables),
    clusterName: clusterNameIn(variables),
    ...queuesIn(variables),
    drain: drainPolicyIn(variables, managedGroupsIn(variables)),
    repair: repairSettingsIn(variables),
  });

const repairSettingsIn = (variables: Variables): RepairSettingsByGroup => ({
  settingsFor: settingsByGroup({
    settings: repairSettings,
    variables,
    read: (environment) => readSettings(repairSettings, environment),
    tryRefusal: () => undefined,
  }),
});

/** The configuration of the repair function that is running. */
export const readRepairConfig = (): RepairConfig => fromEnvironment(parseRepairConfig);
