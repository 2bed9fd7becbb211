// Control and format characters, ends of lines, halves of pairs, and the two that no message of SQS may have.
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\ufffe\uffff]/gu;

/**
 * Replaces invisible characters, and characters that affect those around them, by JSON escapes. JSON keeps its meaning, and
 * a terminal shows the text as it is.
 */
export const legible = (text: string): string => text.replace(hidden, escaped);

/** Does the same with each line of a text. */
export const legibleLines = (text: string): string => text.split("\n").map(legible).join("\n");

const escaped = (character: string): string =>
  character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
