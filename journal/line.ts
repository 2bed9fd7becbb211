/** The tone of a text, which decides its colour. */
export type Tone = "plain" | "faint" | "good" | "change" | "careful" | "bad";

/** An entry, as far as its lines are chosen by. */
export interface Kinded {
  readonly kind: string;
}

/** One line of progress: a verb for what happened, and what it happened to. */
export interface ProgressLine {
  readonly tone: Tone;
  readonly verb: string;
  readonly detail: string;
}

export const line = (tone: Tone, verb: string, detail: string): ProgressLine => ({
  tone,
  verb,
  detail,
});
