import { nodeSettings } from "../../lambda/config/settings.ts";
import { repairSettings } from "../../lambda/repair/repair-settings.ts";

/** The settings of all functions, under their names in constructs and cluster files. */
export const allSettings = { ...nodeSettings, repair: repairSettings };
