import type { Duration } from "aws-cdk-lib";
import { settingKeys } from "../../lambda/contract.ts";
import { given } from "./given.ts";

/** How nodes are drained; the README's table of the configuration says what each means. */
export interface DrainOptions {
  /** How long a drain may take, from the notice's own time. @default 15 minutes */
  readonly timeout?: Duration;
  /** Whether pods whose grace would end after the deadline are deleted, budget or not. @default "at-deadline" */
  readonly force?: "at-deadline" | "never";
  /** Whether critical pods wait for the ordinary ones to be gone. @default "critical-last" */
  readonly tiers?: "critical-last" | "none";
  /** How much of the time up to the deadline critical pods wait at most, in percent. @default 75 */
  readonly tierPercent?: number;
  /** How long after the mark an empty node is not yet believed. @default 5 seconds */
  readonly settle?: Duration;
  /** The annotations of other tools that protect a pod here too. @default all that are known */
  readonly protectedBy?: readonly string[];
  /** How long the volumes of drained pods may take to detach. @default 3 minutes */
  readonly volumeTimeout?: Duration;
  /** How many evictions may be under way at once. @default 20 */
  readonly concurrency?: number;
  /** What is put on the node besides the cordon, as `key=value:effect`. @default nothing */
  readonly taint?: string;
  /** Whether the pods of DaemonSets are evicted last of all; that needs a taint with `NoSchedule`. @default "leave" */
  readonly daemonSets?: "leave" | "evict";
  /** Whether pods are evicted, or may leave by themselves. @default "evict" */
  readonly mode?: "cordon-only" | "evict";
}

/** The environment that says how nodes are drained; what is left out keeps the function's own default. */
export function settingsOf(drain: DrainOptions): Readonly<Record<string, string>> {
  const { timeout, settle, volumeTimeout, protectedBy, concurrency } = drain;
  return given([
    [settingKeys.timeout, timeout?.toSeconds().toString()],
    [settingKeys.force, drain.force],
    [settingKeys.tiers, drain.tiers],
    [settingKeys.tierPercent, drain.tierPercent?.toString()],
    [settingKeys.settle, settle?.toSeconds().toString()],
    [settingKeys.protections, protectedBy === undefined ? undefined : JSON.stringify(protectedBy)],
    [settingKeys.volumeTimeout, volumeTimeout?.toSeconds().toString()],
    [settingKeys.concurrency, concurrency?.toString()],
    [settingKeys.taint, drain.taint],
    [settingKeys.daemonSets, drain.daemonSets],
    [settingKeys.mode, drain.mode],
  ]);
}
