import type { InstanceId, NodeName } from "../base/ids.ts";
import type { Duration } from "../base/time.ts";
import type { Note } from "../notice/outcome.ts";
import type { UpgradeOutcome, UpgradePhase } from "./bookmark.ts";
import type { IssueCode } from "./issues.ts";
import type { UpgradeCommand } from "./upgrade-message.ts";

/** The result of a message about an upgrade. */
export type UpgradeEnd =
  | { readonly kind: "ended"; readonly outcome: UpgradeOutcome }
  | { readonly kind: "paused" }
  /** A later message carries the upgrade on. */
  | { readonly kind: "taken-over" }
  /** Nothing was changed, for these reasons. */
  | { readonly kind: "refused"; readonly reasons: readonly string[] };

/** The acts of an upgrade on some nodes. */
export const nodeDeeds = [
  "validated",
  "doubted",
  "counted",
  "cordoned",
  "chosen",
  "drained",
  "blocked",
  "set-aside",
  "replaced",
  "reopened",
  "restored",
] as const;

/** The journal's entries about an upgrade, apart from the drains of its nodes. Each names the upgrade. */
export type UpgradeEntry = { readonly upgrade: string } & (
  | {
      readonly kind: "upgrade-pass";
      readonly command: UpgradeCommand["kind"];
      readonly receives: number;
    }
  /** The launch source from now on, and the one before. */
  | { readonly kind: "upgrade-launches"; readonly to: string; readonly before: string }
  /** A phase begins, with so many old and new nodes. */
  | {
      readonly kind: "upgrade-phase";
      readonly phase: UpgradePhase;
      readonly old: number;
      readonly fresh: number;
    }
  /** A phase is over, and took so long. */
  | { readonly kind: "upgrade-phase-over"; readonly phase: UpgradePhase; readonly took: Duration }
  | { readonly kind: "upgrade-sized"; readonly desired: number; readonly max: number }
  | {
      readonly kind: "upgrade-nodes";
      readonly deed: (typeof nodeDeeds)[number];
      readonly nodes: readonly NodeName[];
      /** The things that hold them. */
      readonly left: readonly Note[];
    }
  | { readonly kind: "upgrade-terminated"; readonly instances: readonly InstanceId[] }
  | { readonly kind: "upgrade-held"; readonly reason: string; readonly wait: Duration }
  | { readonly kind: "upgrade-failing"; readonly code: IssueCode; readonly message: string }
  | {
      readonly kind: "upgrade-answered";
      readonly command: UpgradeCommand["kind"];
      readonly end: UpgradeEnd;
    }
);
