import type { Tone } from "./tone.ts";

/** One line of progress: a word for what happened, and what it happened to. */
export interface ProgressLine {
  readonly tone: Tone;
  readonly verb: string;
  readonly detail: string;
}

/** A line of progress. */
export const line = (tone: Tone, verb: string, detail: string): ProgressLine => ({
  tone,
  verb,
  detail,
});
