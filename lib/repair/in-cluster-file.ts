import { parseRepairConfig } from "../../lambda/repair/repair-config.ts";
import { repairSettings } from "../../lambda/repair/repair-settings.ts";
import { part } from "../cluster-file/field-schema.ts";
import { fieldsOf } from "../cluster-file/settings-schema.ts";

export const settings = {
  /** The repair options, where repairs are on. @default each option has its own default */
  repair: repairSettings,
};

/** Where the comments of the rows stand, which docs/settings.md shows. */
export const source = "lambda/repair/repair-settings.ts";

/** The part of a cluster's file that says how nodes are repaired, where repairs are on. */
export const fields = {
  repair: part(fieldsOf(repairSettings))
    .describe(
      "How nodes and instances are repaired, where repairs are on; what is left out keeps its default.",
    )
    .prefault({}),
};

export const parse = parseRepairConfig;

/** The name in the outputs of the function that has these settings. */
export const functionName = "RepairFunctionName";
