/** The words in one tag, by their names. */
export type TagWords = Readonly<Partial<Record<string, number | string>>>;

/** Writes words as the value of a tag. */
export const written = (words: TagWords): string =>
  Object.entries(words)
    .map(([name, word]) => `${name}=${word}`)
    .join(" ");

/** Reads the words of a tag. */
export const wordsIn = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split(" ").map((word) => {
      const at = word.indexOf("=");
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );

const longestValue = 256;

/**
 * A text as the value of a tag, which `textOfTag` reads again. Auto Scaling allows 256 letters, digits, spaces and
 * `_ . : / = + - @`; of other characters, and of `=`, it has the bytes as `=3B`. A longer text is cut at a word, and ends
 * with the name of the log's line that has all of it.
 */
export function tagOfText(text: string, line: string): string {
  const value = escaped(text.replace(/\s+/g, " ").trim());
  if (value.length <= longestValue) return value;
  const rest = escaped(` … (all of it: ${line} in the log)`);
  const words = value.slice(0, longestValue - rest.length + 1);
  const cut = words.lastIndexOf(" ");
  return `${cut > 0 ? words.slice(0, cut) : shortened(words)}${rest}`;
}

// A character that needs no escape, or all bytes of one that does.
const whole = /^(?:=[0-7].|=[CD].=..|=E.(?:=..){2}|=F.(?:=..){3}|[^=])*/;

/** A single long word ends before a character of which only some bytes are left. */
const shortened = (word: string): string => whole.exec(word.slice(0, -1))?.[0] ?? "";

/** The text in the value of a tag. */
export const textOfTag = (value: string): string =>
  value.replace(/(?:=[\dA-F]{2})+/g, (bytes) =>
    Buffer.from(bytes.replaceAll("=", ""), "hex").toString("utf8"),
  );

const escaped = (text: string): string =>
  text.replace(/[^\p{L}\p{N} _.:/+@-]/gu, (character) =>
    [...Buffer.from(character, "utf8")]
      .map((byte) => `=${byte.toString(16).toUpperCase().padStart(2, "0")}`)
      .join(""),
  );
