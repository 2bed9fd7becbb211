import type { RepairPolicy } from "../domain/repair/repair-policy.ts";
import { rulesWith } from "../domain/repair/repair-rules.ts";
import type { Duration } from "../domain/time.ts";
import { fromEnvironment } from "./config.ts";
import { type FunctionConfig, functionConfigIn } from "./function-config.ts";
import { settingsByGroup } from "./group-settings.ts";
import { readSettings } from "./read-settings.ts";
import { repairSettings } from "./settings.ts";
import type { Variables } from "./variables.ts";

/** Everything that the repair function was deployed with. */
export interface RepairConfig extends FunctionConfig {
  readonly repair: RepairPolicy;
  /** How often the schedule sends a message. */
  readonly every: Duration;
}

/** Reads the environment of the repair function. A variable that does not fit is a fault. */
export function parseRepairConfig(variables: Variables): RepairConfig {
  const common = functionConfigIn(variables);
  const { overrides, every } = readSettings(repairSettings, variables);
  return Object.freeze({
    ...common,
    repair: {
      cluster: common.clusterName,
      rules: rulesWith(overrides),
      settingsFor: settingsIn(variables),
    },
    every,
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
