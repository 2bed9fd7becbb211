import type { Duration } from "../base/time.ts";
import { fromEnvironment } from "../config/config.ts";
import { readSettings } from "../config/form-reader.ts";
import { type FunctionConfig, functionConfigIn } from "../config/function-config.ts";
import { settingsByGroup } from "../config/group-settings.ts";
import type { Variables } from "../config/variables.ts";
import { type RepairPolicy, rulesWith } from "./repair-policy.ts";
import { repairSettings } from "./repair-settings.ts";

export interface RepairConfig extends FunctionConfig {
  readonly repair: RepairPolicy;
  /** The interval of the schedule's messages. */
  readonly every: Duration;
}

/** Reads the settings of the repair function from its environment. A variable that cannot be read is a fault. */
export function parseRepairConfig(variables: Variables): RepairConfig {
  const common = functionConfigIn(variables);
  const { overrides, every } = readSettings(repairSettings, variables);
  return Object.freeze({
    ...common,
    repair: {
      cluster: common.clusterName,
      rules: rulesWith(overrides),
      every,
      settingsFor: settingsIn(variables, common),
    },
    every,
  });
}

/** The settings of groups. Where drains are a dry run, instances end undrained, so a repair would end the pods of an ill node at once. */
function settingsIn(
  variables: Variables,
  { drain }: Pick<FunctionConfig, "drain">,
): RepairPolicy["settingsFor"] {
  const settingsFor = settingsByGroup({
    settings: repairSettings,
    variables,
    read: (environment) => readSettings(repairSettings, environment),
    tryRefusal: () => undefined,
  });
  return (tags) => {
    const { settings, refused } = settingsFor(tags);
    const isDry = drain.settingsFor(tags).settings.mode === "dry-run";
    return { settings: { ...settings, ...(isDry && { mode: "dry-run" as const }) }, refused };
  };
}

/** The settings of the running repair function. */
export const readRepairConfig = (): RepairConfig => fromEnvironment(parseRepairConfig);
