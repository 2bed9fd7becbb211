import { fromEnvironment } from "./config.ts";
import { type FunctionConfig, functionConfigIn } from "./function-config.ts";
import { readSettings } from "./read-settings.ts";
import { launchSettings } from "./settings.ts";

/** Everything that the upgrade function was deployed with. */
export interface UpgradeConfig extends FunctionConfig {
  /** The keys of the taints that a new node has until it has been set up. */
  readonly startupTaints: readonly string[];
}

/** Reads the environment of the upgrade function. A variable that does not fit is a fault. */
export const readUpgradeConfig = (): UpgradeConfig =>
  fromEnvironment((variables) => ({
    ...functionConfigIn(variables),
    startupTaints: readSettings(launchSettings, variables).startupTaints,
  }));
