import type { Tone } from "../../journal/line.ts";
import type { Io } from "../io.ts";
import { span, type TerminalRow } from "./output.ts";
import { Screen } from "./screen.ts";
import { wrapped } from "./wrap.ts";

/** A line for people, before it is wrapped to the width of a terminal. */
export interface Line {
  readonly tone: Tone;
  /** Its level of indentation. */
  readonly depth: number;
  readonly text: string;
  /** The text without parts that change with time. A watched status reports the line again when this changes. */
  readonly news: string;
}

export const line = (tone: Tone, depth: number, text: string, news = text): Line => ({
  tone,
  depth,
  text,
  news,
});

const indent = 2;

/** Wraps lines to the width of a terminal. Continuations are indented further. */
export const linesText = (lines: readonly Line[], width: number): readonly TerminalRow[] =>
  lines.flatMap(({ tone, depth, text }) => {
    const margin = indent * depth;
    const [first = "", ...rest] = wrapped(text, width - margin - indent);
    const inner = " ".repeat(margin);
    const below = " ".repeat(margin + indent);
    return [`${inner}${first}`, ...rest.map((more) => `${below}${more}`)].map((one) => [
      span(tone, one),
    ]);
  });

export function writeLines(lines: readonly Line[], io: Io): void {
  const screen = new Screen(io);
  screen.write(linesText(lines, screen.width));
}
