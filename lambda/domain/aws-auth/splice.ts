/** A change of a text at one place. */
export interface Splice {
  readonly at: number;
  /** How many characters are removed. */
  readonly remove: number;
  readonly insert: string;
}

/** Applies a change to a text. */
export const spliced = (text: string, { at, remove, insert }: Splice): string =>
  text.slice(0, at) + insert + text.slice(at + remove);

/** The line ending that a text uses. */
export const lineEnding = (text: string): string => /\r?\n/.exec(text)?.[0] ?? "\n";

/** The offset at which the line around a place begins. */
export const lineStart = (text: string, at: number): number =>
  at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;

/** The offset at which the next line begins; the end of the text if there is no next line. */
export function nextLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end + 1;
}

/** Inserts whole lines into a text, at the start or at the end of a line. */
export function insertLines(text: string, at: number, lines: readonly string[]): Splice {
  const ending = lineEnding(text);
  const own = lines.join(ending);
  const startsLine = at === lineStart(text, at);
  return { at, remove: 0, insert: startsLine ? own + ending : ending + own };
}
