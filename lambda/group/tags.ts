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

/** A text as a tag can have it: Auto Scaling allows 256 letters, digits, spaces and `_ . : / = + - @`. */
export const taggable = (text: string): string =>
  text
    .replace(/[^\p{L}\p{N} _.:/=+@-]+/gu, " ")
    .replace(/ {2,}/g, " ")
    .trim()
    .slice(0, longestValue)
    .trimEnd();
