/** A change of a text at one place. */
export interface Splice {
  readonly at: number;
  /** How many characters give way. */
  readonly remove: number;
  readonly insert: string;
}

/** The text with the change made. */
export const spliced = (text: string, { at, remove, insert }: Splice): string =>
  text.slice(0, at) + insert + text.slice(at + remove);

/** How the lines of a text end. */
export const lineEnding = (text: string): string => /\r?\n/.exec(text)?.[0] ?? "\n";

/** Where the line of a place begins. */
export const lineStart = (text: string, at: number): number =>
  at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;

/** Where the line after that of a place begins; the end of the text after the last. */
export function nextLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end + 1;
}

/** Puts lines of their own into a text, at the start of a line or at its end. */
export function insertLines(text: string, at: number, lines: readonly string[]): Splice {
  const ending = lineEnding(text);
  const own = lines.join(ending);
  const startsLine = at === lineStart(text, at);
  return { at, remove: 0, insert: startsLine ? own + ending : ending + own };
}
