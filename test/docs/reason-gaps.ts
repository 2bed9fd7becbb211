import { readMarkdown } from "./read-markdown.ts";

/** The reasons that a document explains although the code does not contain their words. */
export function reasonGaps(text: string, code: string): readonly string[] {
  const rows = readMarkdown(text).tables.flat();
  const reasons = rows.flatMap(({ "The reason says": cell = "" }) => readMarkdown(cell).code);
  if (reasons.length === 0) return ["no reasons"];
  return reasons.filter((reason) => !wordsOf(reason).every((words) => code.includes(words)));
}

// What a reason is about stands before a colon, in a field of its own.
const wordsOf = (reason: string): readonly string[] =>
  reason
    .split(/…:?/)
    .map((words) => words.trim())
    .filter((words) => words !== "");
