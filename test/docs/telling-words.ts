/** A text of the project, by its path. */
export interface Text {
  readonly path: string;
  readonly text: string;
}

/** Words that tell how or by whom the work is done, and places of one machine. */
const telling = [
  /\bAI\b/,
  /\bLLMs?\b/,
  /\b(?:claude|anthropic|openai|chatgpt|gpt-\d|copilot|gemini)\b/i,
  /\b(?:sub-?agents?|language models?|coding assistant|as an assistant)\b/i,
  /\bthis (?:session|helper|brief)\b/i,
  /(?:^|[\s"'(`=])\/(?:work|root|home|Users)\//,
];

/** Where a text has such words, a line each. */
export const tellingWords = ({ path, text }: Text): readonly string[] =>
  text
    .split("\n")
    .filter((line) => telling.some((word) => word.test(line)))
    .map((line) => `${path}: ${line.trim().slice(0, 100)}`);
