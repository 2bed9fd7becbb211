import { Fault } from "../base/fault.ts";
import type { Expected, NameOf, TextReader } from "./text-reader.ts";

/** The environment of a function. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Reads one variable; one that is missing counts as empty. If its text does not fit, the fault names the key and the text,
 * and says what would fit.
 */
export function readVariable<T>(key: string, text: string | undefined, read: TextReader<T>): T {
  const reading = read(text ?? "");
  if (reading.kind === "read") return reading.value;
  throw new UnfitVariable(key, text, reading.expected);
}

/** A variable that does not fit. Its message names settings by their keys. */
export class UnfitVariable extends Fault {
  static override readonly name = "Fault";
  readonly key: string;
  readonly got: string;
  readonly expected: Expected;

  constructor(key: string, text: string | undefined, expected: Expected) {
    const got = text === undefined ? "nothing" : JSON.stringify(text.slice(0, 200));
    super("config.invalid", `reading ${key}: expected ${wordsOf(expected)}, got ${got}`);
    this.key = key;
    this.got = got;
    this.expected = expected;
  }
}

/** The expected value in words. */
export const wordsOf = (expected: Expected, nameOf: NameOf = (key) => key): string =>
  typeof expected === "string" ? expected : expected(nameOf);

/** The problem with a variable, for readers who know settings by other names than their keys. */
export const complaintOf = ({ key, got, expected }: UnfitVariable, nameOf: NameOf): string =>
  `${nameOf(key)}: expected ${wordsOf(expected, nameOf)}, got ${got}`;
