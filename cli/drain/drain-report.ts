import type { Happening } from "../../journal/happening.ts";
import type { Outcome } from "../../lambda/notice/outcome.ts";
import type { EvacuationEnd } from "../evacuate/evacuation-schema.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Beginning } from "../progress/live-progress.ts";
import type { DrainStory, DrainVerdict } from "./drain-verdict.ts";

/** What the drain of a node would do. */
export interface DryRun extends Omit<Extract<Outcome, { readonly kind: "dry-run" }>, "kind"> {
  readonly node: string;
  readonly exitCode: ExitCode;
  readonly line: string;
}

/** Reports drains at a terminal to people or programs. */
export interface DrainReport {
  begin(beginning: Beginning): void;
  tell(happening: Happening): void;
  /** Something that a person should know before, or instead of, a drain. */
  warn(about: string, warning: string): void;
  /** Says how the drain of a node has ended. */
  end(story: DrainStory, verdict: DrainVerdict): void;
  tried(run: DryRun): void;
  opened(node: string, line: string): void;
  /** Says how the evacuation of a zone has ended. */
  evacuated(end: EvacuationEnd): void;
  close(): void;
}
