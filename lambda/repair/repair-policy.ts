import type { Labels } from "../base/labels.ts";
import type { Duration } from "../base/time.ts";
import type { NodeCount } from "../group/node-count.ts";
import type { RepairRule } from "./repair-rules.ts";

/** What a deployment wants of repairs. */
export interface RepairPolicy {
  /** The name of the cluster. */
  readonly cluster: string;
  /** The first that fits a condition counts. */
  readonly rules: readonly RepairRule[];
  /** The settings of a group: those of the deployment, except where the group's own tags say otherwise. */
  settingsFor(tags: Labels): GroupRepairs;
}

/** The settings of a group, and the reasons why some of its tags do not count. */
export interface GroupRepairs {
  readonly settings: RepairSettings;
  readonly refused: readonly string[];
}

/** How the instances of a group are repaired. */
export interface RepairSettings {
  /** Whether repairs are made or only told. */
  readonly mode: "dry-run" | "repair";
  /** How long after its launch an instance may be without a node. */
  readonly withoutNode: Duration;
  /** How many instances may be repaired at the same time. */
  readonly atOnce: NodeCount;
  /** Above so many ill instances none is repaired. A percentage always allows three. */
  readonly mostIll: NodeCount;
  /** How many repairs may begin within an hour. */
  readonly perHour: number;
  /** How long budgets are kept while the node is drained. */
  readonly timeout: Duration;
}
