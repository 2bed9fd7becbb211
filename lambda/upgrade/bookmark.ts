import type { Instant } from "../base/time.ts";
import type {
  NamedTemplate,
  NamedVersion,
  Sizes,
  TemplateVersion,
} from "../group/scaling-group.ts";
import type { UpgradeOptions } from "./options.ts";

/** How far an upgrade has come; it never goes back, except to `set-up` when somebody resumes it. */
export const phases = ["set-up", "canary", "scale-up", "upgrade", "scale-down"] as const;

/** A phase of an upgrade. */
export type UpgradePhase = (typeof phases)[number];

/**
 * Whether an upgrade goes on:
 * - `paused`: what is under way ends, and nobody starts on further nodes, until somebody resumes or aborts it.
 * - `aborting`: somebody has called it off, and everything is put back.
 * - `failing`: it cannot go on. The sizes are put back, and the nodes that are still old are opened again.
 */
export const states = ["running", "paused", "aborting", "failing"] as const;

/** Whether an upgrade goes on. */
export type UpgradeState = (typeof states)[number];

/** What the tags of a group say about its upgrade: all that must survive a pass, besides the marks of nodes. */
export interface Bookmark {
  /** Eight hexadecimal digits. */
  readonly id: string;
  readonly phase: UpgradePhase;
  readonly state: UpgradeState;
  /** The id of the message that carries it on; any other message about it ends. */
  readonly carrier: string;
  /** The messages that carried it on before, or were about to: they end, however often they come back. */
  readonly overtaken: readonly string[];
  /** When somebody last said something about it. */
  readonly told: Instant;
  readonly begun: Instant;
  /** When its phase began. */
  readonly entered: Instant;
  /** When it last changed something: the time that new nodes have counts from then. */
  readonly since: Instant;
  /** When somebody last found that the pods of old nodes have room elsewhere. */
  readonly roomy: Instant;
  /** When a pass last looked at it, told every ten minutes at least. */
  readonly seen: Instant;
  /** The desired capacity that it has set last; a larger one is somebody else's. */
  readonly size: number;
  /** What instances are to be launched by. */
  readonly to: TemplateVersion;
  /** Which version the group names at the end: that number, or the name that it had. */
  readonly ending: NamedVersion;
  readonly before: Before;
  readonly options: UpgradeOptions;
  /** Why it fails or what holds it, as far as a tag can say it; empty while nothing does. */
  readonly issue: string;
}

/** How a group was before its upgrade. */
export interface Before {
  readonly template: NamedTemplate;
  readonly sizes: Sizes;
  /** How many pods waited for a node. */
  readonly pending: number;
}

/** How an upgrade ends that has begun. */
export type UpgradeOutcome = "done" | "aborted" | "failed" | "scaled-elsewhere";

/** How the last upgrade of a group has ended, as a tag says. */
export interface EndedUpgrade {
  readonly id: string;
  readonly outcome: UpgradeOutcome | "refused";
  readonly at: Instant;
  /** Why it failed or was refused; empty if it was not. */
  readonly issue: string;
  /** The upgrades of the group that have ended before, the latest last: what comes late of them changes nothing. */
  readonly earlier: readonly string[];
}
