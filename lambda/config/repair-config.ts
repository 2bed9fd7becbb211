import { metricsNamespace } from "../contract.ts";
import type { DrainPolicy } from "../domain/drain/drain-policy.ts";
import type { RepairPolicy } from "../domain/repair/repair-policy.ts";
import { rulesWith } from "../domain/repair/repair-rules.ts";
import type { Duration } from "../domain/time.ts";
import { fromEnvironment } from "./config.ts";
import { settingsByGroup } from "./group-settings.ts";
import { clusterNameIn, managedGroupsIn, type Queues, queuesIn, regionIn } from "./place.ts";
import { drainPolicyIn } from "./policies.ts";
import { readSettings } from "./read-settings.ts";
import type { ValuesOf } from "./setting.ts";
import { repairSettings, reportSettings } from "./settings.ts";
import type { Variables } from "./variables.ts";

/** Everything that the repair function was deployed with. */
export interface RepairConfig extends Queues {
  readonly region: string;
  readonly clusterName: string;
  readonly drain: DrainPolicy;
  readonly repair: RepairPolicy;
  /** How often the schedule sends a message. */
  readonly every: Duration;
  /** What the function tells besides its log. */
  readonly reports: ValuesOf<typeof reportSettings>;
  /** The namespace of this deployment's metrics. */
  readonly metricsNamespace: string;
}

/** Reads the environment of the repair function. A variable that does not fit is a fault. */
export function parseRepairConfig(variables: Variables): RepairConfig {
  const clusterName = clusterNameIn(variables);
  const { overrides, every } = readSettings(repairSettings, variables);
  return Object.freeze({
    region: regionIn(variables),
    clusterName,
    ...queuesIn(variables),
    drain: drainPolicyIn(variables, managedGroupsIn(variables)),
    repair: {
      cluster: clusterName,
      rules: rulesWith(overrides),
      settingsFor: settingsIn(variables),
    },
    every,
    reports: readSettings(reportSettings, variables),
    metricsNamespace: metricsNamespace + clusterName,
  });
}

const settingsIn = (variables: Variables): RepairPolicy["settingsFor"] =>
  settingsByGroup({
    settings: repairSettings,
    variables,
    read: (environment) => readSettings(repairSettings, environment),
    tryRefusal: () => undefined,
  });

/** The configuration of the repair function that is running. */
export const readRepairConfig = (): RepairConfig => fromEnvironment(parseRepairConfig);
