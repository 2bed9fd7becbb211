/** The meaning of a text, from which its colour follows. */
export type Tone = "plain" | "faint" | "good" | "change" | "careful" | "bad";

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
