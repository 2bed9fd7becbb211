import type { Tone } from "../../journal/line.ts";
import type { Io } from "../io.ts";
import { span, type TerminalRow } from "./output.ts";
import { Screen } from "./screen.ts";
import { wrapped } from "./wrap.ts";

/** A line for people, before it is broken to the width of a terminal. */
export interface Line {
  readonly tone: Tone;
  /** How far it is indented. */
  readonly depth: number;
  readonly text: string;
  /** What it says, without what changes as time passes; whoever watches is told again where this has changed. */
  readonly news: string;
}

/** A line for people. */
export const line = (tone: Tone, depth: number, text: string, news = text): Line => ({
  ...{ tone, depth, text, news },
});

const indent = 2;

/** The lines as a terminal of a width shows them; what does not fit goes on below, further in. */
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

/** Writes lines for people. */
export function writeLines(lines: readonly Line[], io: Io): void {
  const screen = new Screen(io);
  screen.write(linesText(lines, screen.width));
}
