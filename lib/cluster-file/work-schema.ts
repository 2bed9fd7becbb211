import { nodeSettings } from "../../lambda/config/settings.ts";
import { part } from "./field-schema.ts";
import { fieldsOf } from "./settings-schema.ts";

/** How nodes are drained, as a cluster's file says it. */
export const drain = part(fieldsOf(nodeSettings.drain)).describe(
  "How nodes are drained; what is left out keeps its default.",
);

/** How instances are launched, as a cluster's file says it. */
export const launch = part(fieldsOf(nodeSettings.launch)).describe(
  "How instances are launched; what is left out keeps its default.",
);
