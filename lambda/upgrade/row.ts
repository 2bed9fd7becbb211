import { type Duration, hours, minutes, tryDurationOf, wholeSeconds } from "../base/time.ts";

/** How one option is written: its name, and both ways of its value. */
export interface Row<T> {
  readonly name: string;
  readonly expected: string;
  write(value: T): string;
  /** `undefined` for a text that does not fit. */
  read(text: string): T | undefined;
}

/** Reads a whole number within bounds. */
export const whole = (text: string, from: number, to: number): number | undefined => {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : -1;
  return value >= from && value <= to ? value : undefined;
};

/** An option that is a number. */
export const numberRow = (name: string, from: number, to: number): Row<number> => ({
  name,
  expected: `a number from ${from} to ${to}`,
  write: String,
  read: (text) => whole(text, from, to),
});

/** An option that is one of some words. */
export function textRow<const T extends string>(name: string, ...texts: readonly T[]): Row<T> {
  const read = (text: string) => texts.find((one) => one === text);
  return { name, expected: texts.join(" or "), write: String, read };
}

type Bounds = readonly [least: Duration, most: Duration];

function within([least, most]: Bounds, text: string): Duration | undefined {
  const length = tryDurationOf(text);
  return length !== undefined && length >= least && length <= most ? length : undefined;
}

const lengthText = (length: Duration): string => `${wholeSeconds(length)}s`;

/** An option that is a duration within bounds, which are told in words. */
export const lengthRow = (name: string, words: string, bounds: Bounds): Row<Duration> => ({
  name,
  expected: `a duration from ${words}`,
  write: lengthText,
  read: (text) => within(bounds, text),
});

const anyLength: Bounds = [minutes(1), hours(24 * 366)];

/** An option that is a duration or a word. */
export function durationRow<const T extends string>(name: string, other: T): Row<Duration | T> {
  return {
    name,
    expected: `a duration of at least a minute such as 15m or 36h, or ${other}`,
    write: (value) => (typeof value === "number" ? lengthText(value) : value),
    read: (text) => (text === other ? other : within(anyLength, text)),
  };
}
