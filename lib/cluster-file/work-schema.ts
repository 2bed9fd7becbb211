import { nodeSettings, repairSettings } from "../../lambda/config/settings.ts";
import { part } from "./field-schema.ts";
import { fieldsOf } from "./settings-schema.ts";

/** The part of a cluster's file that says how nodes are drained. */
export const drain = part(fieldsOf(nodeSettings.drain)).describe(
  "How nodes are drained; what is left out keeps its default.",
);

/** The part of a cluster's file that says how instances are launched. */
export const launch = part(fieldsOf(nodeSettings.launch)).describe(
  "How instances are launched; what is left out keeps its default.",
);

/** The part of a cluster's file that says what the function tells besides its log. */
export const reports = part(fieldsOf(nodeSettings.reports)).describe(
  "What the function tells besides its log; what is left out keeps its default.",
);

/** The part of a cluster's file that says how nodes are repaired, where repairs are on. */
export const repair = part(fieldsOf(repairSettings)).describe(
  "How nodes and instances are repaired, where repairs are on; what is left out keeps its default.",
);
