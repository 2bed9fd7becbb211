import { seconds } from "../base/time.ts";
import { type ReasonRow, reasonRow } from "../drain/reason.ts";

// A longer grace is cut. The rest of the minute is its budget's.
const whenStopping = seconds(20);

/** The reasons of drains that no hook holds. */
export const interruptionReasons: readonly ReasonRow[] = [
  reasonRow("interrupted", { graces: "cut" }),
  // EC2 may never interrupt it.
  reasonRow("at-risk", { instance: "stays" }),
  reasonRow("maintenance"),
  reasonRow("block-expiring", { graces: "cut" }),
  reasonRow("stopping", { graces: "cut", budgetGrace: whenStopping }),
];
