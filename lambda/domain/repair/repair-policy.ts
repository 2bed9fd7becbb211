import { type Duration, minutes } from "../time.ts";
import type { NodeCount } from "../upgrade/request.ts";
import { defaultRules, type RepairRule } from "./repair-rules.ts";

/** What a deployment wants of repairs. */
export interface RepairPolicy {
  /** The first that fits a condition counts. */
  readonly rules: readonly RepairRule[];
  /** How long an instance may be without a node. */
  readonly joinWait: Duration;
  /** How many instances of a group may be repaired at the same time; a percentage is one of the group's instances. */
  readonly atOnce: NodeCount;
  /** The share of ill instances, in percent, above which nothing is repaired; three may be ill in every group. */
  readonly illShare: number;
  /** How many repairs of a group may begin within an hour. */
  readonly perHour: number;
  /** How long budgets are kept while the node is drained. */
  readonly deadline: Duration;
  /** Whether repairs are made or only told. */
  readonly mode: "dry-run" | "on";
}

/** The policy of which nobody says more. */
export const usualRepairs: RepairPolicy = {
  rules: defaultRules,
  joinWait: minutes(15),
  atOnce: { kind: "count", value: 1 },
  illShare: 20,
  perHour: 4,
  deadline: minutes(30),
  mode: "on",
};
