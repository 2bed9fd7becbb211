import { nodeSettings } from "../../lambda/config/settings.ts";
import { ownSettings } from "./own-settings.ts";

/** The settings of all functions, under their names in constructs and cluster files. */
export const allSettings = { ...nodeSettings, ...ownSettings };
