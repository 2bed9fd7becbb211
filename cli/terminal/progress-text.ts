import type { ProgressLine } from "../../journal/line.ts";
import { legible } from "../../lambda/base/legible.ts";
import { span, type TerminalRow } from "./output.ts";
import { wrapped } from "./wrap.ts";

const verbWidth = 11;
// Below this width, the text gets lines of its own.
const narrow = 60;
const narrowIndent = 4;

/** A line of progress behind its time, or several indented lines on a narrow terminal. */
export function progressText(
  time: string,
  { tone, verb, detail }: ProgressLine,
  width: number,
): readonly TerminalRow[] {
  const headWidth = time.length + verbWidth + 3;
  const before = [span("faint", time), "  "];
  const indent = width < narrow ? narrowIndent : headWidth;
  const fits = headWidth + legible(detail).length <= width;
  const parts = fits ? [detail] : wrapped(detail, width - indent);
  if (!fits && width < narrow)
    return [[...before, span(tone, verb)], ...parts.map(indentedBy(indent))];
  const [first = "", ...rest] = parts;
  const head = [...before, span(tone, verb.padEnd(verbWidth))];
  return [[...head, ` ${first}`], ...rest.map(indentedBy(indent))];
}

const indentedBy =
  (indent: number) =>
  (text: string): string =>
    `${" ".repeat(indent)}${text}`;
