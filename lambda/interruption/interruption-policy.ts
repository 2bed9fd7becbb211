import type { GroupSelector } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import type { Duration } from "../base/time.ts";
import type { DrainSettings } from "../drain/drain-policy.ts";
import type { LeftNodeSettings } from "./left-node.ts";

/** The settings for instances that end without a hook. */
export interface EventSettings extends LeftNodeSettings {
  /** The timeout of a drain before an instance is stopped or terminated by hand. */
  readonly stoppingTimeout: Duration;
  /** The time before planned work on the host of an instance at which its drain begins. */
  readonly maintenanceLead: Duration;
  /** The reaction to a rebalance recommendation of EC2. */
  readonly rebalance: "cordon" | "drain" | "nothing";
  /** The time for which the node of an instance at risk stays cordoned if nothing else happens. */
  readonly cordonFor: Duration;
}

/** The settings of a group for instances that end without a hook. */
export interface InterruptionSettings {
  readonly settings: EventSettings;
  readonly drain: DrainSettings;
  /** The reasons why some of the group's tags do not count. */
  readonly refused: readonly string[];
}

/** The policy of this deployment for instances that end without a hook. */
export interface InterruptionPolicy {
  /** The Auto Scaling groups whose instances may be touched. */
  readonly managed: readonly GroupSelector[];
  /** The length of one pass; then the notice returns to the queue. */
  readonly pass: Duration;
  /** The settings of a group: those of the deployment, overridden by the group's tags. */
  settingsFor(tags: Labels): InterruptionSettings;
}
