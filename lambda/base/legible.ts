// Control and format characters, ends of lines, halves of pairs, and the two that no message of SQS may have.
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\ufffe\uffff]/gu;

/**
 * Writes the characters of a text that nobody sees, or that change what is around them, as JSON's escapes.
 *
 * A text in JSON stays the same value, and a terminal shows it as it is.
 */
export const legible = (text: string): string => text.replace(hidden, escaped);

/** Does the same with each line of a text. */
export const legibleLines = (text: string): string => text.split("\n").map(legible).join("\n");

const escaped = (character: string): string =>
  character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
