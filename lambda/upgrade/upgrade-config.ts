import { fromEnvironment } from "../config/config.ts";
import { readSettings } from "../config/form-reader.ts";
import { type FunctionConfig, functionConfigIn } from "../config/function-config.ts";
import { launchSettings } from "../config/settings.ts";

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
