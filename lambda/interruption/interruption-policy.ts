import type { GroupSelector } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import type { Duration } from "../base/time.ts";
import type { DrainSettings } from "../drain/drain-policy.ts";
import type { LeftNodeSettings } from "./left-node.ts";

/** What is done about an instance that ends without a hook. */
export interface EventSettings extends LeftNodeSettings {
  /** The timeout of a drain before an instance is stopped or terminated by hand. */
  readonly stoppingTimeout: Duration;
  /** How long before planned work on the host of an instance its drain begins. */
  readonly maintenanceLead: Duration;
  /** What is done when EC2 recommends to rebalance. */
  readonly rebalance: "cordon" | "drain" | "nothing";
  /** How long the node of an instance at risk stays cordoned if nothing else happens. */
  readonly cordonFor: Duration;
}

/** How a group wants its instances treated that end without a hook. */
export interface InterruptionSettings {
  readonly settings: EventSettings;
  readonly drain: DrainSettings;
  /** The reasons why some of the group's tags do not count. */
  readonly refused: readonly string[];
}

/** What this deployment does about instances that end without a hook. */
export interface InterruptionPolicy {
  /** The Auto Scaling groups whose instances may be touched. */
  readonly managed: readonly GroupSelector[];
  /** How long one pass works before it hands the notice back. */
  readonly pass: Duration;
  /** The settings of a group: those of the deployment, overridden by the group's tags. */
  settingsFor(tags: Labels): InterruptionSettings;
}
