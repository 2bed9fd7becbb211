import type { ProgressLine } from "../../journal/line.ts";
import type { Paint } from "./paint.ts";
import { wrapped } from "./wrap.ts";

const verbWidth = 11;
// Below this width what happened stands on lines of its own.
const narrow = 60;
const narrowIndent = 4;

/** Where lines of progress are written. */
interface Sheet {
  readonly width: number;
  readonly paint: Paint;
}

/** One line of progress behind its time, or as many as a narrow terminal needs: what follows is indented. */
export function progressText(
  time: string,
  { tone, verb, detail }: ProgressLine,
  { width, paint }: Sheet,
): readonly string[] {
  const headWidth = time.length + verbWidth + 3;
  const head = `${paint("faint", time)}  ${paint(tone, verb.padEnd(verbWidth))}`;
  const indent = width < narrow ? narrowIndent : headWidth;
  const fits = headWidth + detail.length <= width;
  const parts = fits ? [detail] : wrapped(detail, width - indent);
  if (!fits && width < narrow)
    return [`${paint("faint", time)}  ${paint(tone, verb)}`, ...parts.map(indentedBy(indent))];
  const [first = "", ...rest] = parts;
  return [`${head} ${first}`, ...rest.map(indentedBy(indent))];
}

const indentedBy =
  (indent: number) =>
  (text: string): string =>
    `${" ".repeat(indent)}${text}`;
