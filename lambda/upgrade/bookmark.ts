import type { Instant } from "../base/time.ts";
import type {
  NamedTemplate,
  NamedVersion,
  Sizes,
  TemplateVersion,
} from "../group/scaling-group.ts";
import type { UpgradeOptions } from "./options.ts";

/** The phases of an upgrade. It never goes back, except to `set-up` when somebody resumes it. */
export const phases = ["set-up", "canary", "scale-up", "upgrade", "keep", "scale-down"] as const;

export type UpgradePhase = (typeof phases)[number];

/**
 * The states of an upgrade that has not ended.
 * - `paused`: begun attempts end, and no further one begins until somebody resumes or aborts the upgrade.
 * - `aborting`: somebody has aborted it, and everything is put back.
 * - `failing`: it cannot go on; the sizes are put back, and nodes that are still old are uncordoned.
 * - `rolling-back`: the old nodes that it has kept are uncordoned, and the new ones are drained and terminated.
 */
export const states = ["running", "paused", "aborting", "failing", "rolling-back"] as const;

export type UpgradeState = (typeof states)[number];

/** The soak after a batch: none is due; `owed` until all new nodes are valid; or when it began. */
export type Soak = Instant | "none" | "owed";

/** The state of an upgrade in the tags of its group: all that must survive a pass, apart from the marks of nodes. */
export interface Bookmark {
  /** Eight hexadecimal digits. */
  readonly id: string;
  readonly phase: UpgradePhase;
  readonly state: UpgradeState;
  /** The id of the message that carries the upgrade on. Every other message about it ends. */
  readonly carrier: string;
  /** Earlier messages that carried it on, or were about to. They end whenever they come back. */
  readonly overtaken: readonly string[];
  /** When the last command about it was taken. */
  readonly told: Instant;
  readonly begun: Instant;
  /** When its phase began. */
  readonly entered: Instant;
  /** When it last changed something. The time that new nodes have counts from then. */
  readonly since: Instant;
  /** When the pods of old nodes were last found to have room elsewhere. */
  readonly roomFound: Instant;
  /** When a pass last looked at it; written at least every ten minutes. */
  readonly seen: Instant;
  /** The desired capacity that the upgrade has set last. A larger one was set by somebody else. */
  readonly size: number;
  readonly soak: Soak;
  /** When the soak after the last batch first began, however often it has begun again; `none` before that. */
  readonly watched: Instant | "none";
  /** The number of nodes that were set aside when all others were replaced: the group keeps as many nodes more. */
  readonly aside: number;
  /** The number of drains that have ended: of each node two at most, unless something takes its marks off. */
  readonly drains: number;
  /** The ids of target groups that it has waited for long enough; a tag has room for ten. */
  readonly unawaited: readonly string[];
  /** How often an attempt has waited in vain for the unhealthy targets of a target group, by its id; a tag has room for ten. */
  readonly unhealthy: ReadonlyMap<string, number>;
  readonly to: TemplateVersion;
  /** The version that the group names at the end: a number, or the name that it had. */
  readonly ending: NamedVersion;
  readonly before: Before;
  readonly options: UpgradeOptions;
  /** Why it fails or what holds it, shortened to fit a tag; empty otherwise. */
  readonly issue: string;
}

/** The state of a group before its upgrade. */
export interface Before {
  readonly template: NamedTemplate;
  readonly sizes: Sizes;
  /** The number of pods that waited for a node and counted. */
  readonly pending: number;
}

/** The ends of an upgrade that has begun. `set-aside`: all nodes are new but those that it has set aside. */
export const upgradeOutcomes = [
  "done",
  "aborted",
  "failed",
  "scaled-elsewhere",
  "set-aside",
  "rolled-back",
] as const;

export type UpgradeOutcome = (typeof upgradeOutcomes)[number];

/** The end of the last upgrade of a group. */
export interface EndedUpgrade {
  readonly id: string;
  readonly outcome: UpgradeOutcome | "refused";
  readonly at: Instant;
  /** Why it failed or was refused, or what it has set aside; empty otherwise. */
  readonly issue: string;
  /** The earlier upgrades of the group that have ended, the latest last. A late message about them changes nothing. */
  readonly earlier: readonly string[];
}
