import { legible } from "../base/legible.ts";

/** The most bytes of a line of the log, its end included, whatever others have written into it. */
export const longestLine = 1500;

/** An entry as a line of JSON: in full if that fits, else with its texts and lists cut; `cut` then counts the items that are left out. */
export function boundedLine(entry: object): string {
  const bounds = steps.find((step) => fits(lineOf(cutTo(entry, step)))) ?? leastOfAll;
  return lineOf(cutTo(entry, bounds));
}

interface Bounds {
  /** The most bytes of a text, as JSON has it. */
  readonly text: number;
  /** The most items of a list. */
  readonly items: number;
}

// A text that fits stays as it is. Otherwise long texts with some items go before short texts with many.
const steps: readonly Bounds[] = [
  ...sizes(longestLine, [longestLine]),
  ...sizes(1000, [100, 50, 30, 20, 10]),
  ...sizes(600, [100, 50, 30, 20, 10, 5]),
  ...sizes(300, [30, 20, 15, 10, 7, 5, 3]),
  ...sizes(120, [20, 15, 10, 7, 5, 3, 2]),
  ...sizes(60, [15, 10, 7, 5, 3, 2, 1, 0]),
];
const leastOfAll: Bounds = { text: 30, items: 0 };

function sizes(text: number, items: readonly number[]): readonly Bounds[] {
  return items.map((most) => ({ text, items: most }));
}

const lineOf = (entry: object): string => `${legible(JSON.stringify(entry))}\n`;

const fits = (line: string): boolean => Buffer.byteLength(line) <= longestLine;

function cutTo(entry: object, bounds: Bounds): object {
  const counter = { cut: 0 };
  const fields = shortened(entry, bounds, counter);
  return { ...Object(fields), ...(counter.cut > 0 && counter) };
}

/** Shortens what a value has, and counts the items that it loses. */
function shortened(value: unknown, bounds: Bounds, counter: { cut: number }): unknown {
  if (typeof value === "string") return cutText(value, bounds.text);
  if (Array.isArray(value)) {
    counter.cut += Math.max(0, value.length - bounds.items);
    return value.slice(0, bounds.items).map((item) => shortened(item, bounds, counter));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, shortened(field, bounds, counter)]),
  );
}

/** The beginning of a text that has at most so many bytes as JSON. */
function cutText(text: string, most: number): string {
  if (text.length * longestSign <= most) return text;
  let left = text.slice(0, most);
  for (let size = sizeOf(left); size > most; size = sizeOf(left))
    left = left.slice(0, Math.floor((left.length * most) / size));
  return left.length === text.length ? text : `${left.slice(0, -1)}…`;
}

// An escape.
const longestSign = 6;

const sizeOf = (text: string): number => Buffer.byteLength(legible(JSON.stringify(text)));
