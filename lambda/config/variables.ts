import { Fault } from "../base/fault.ts";
import type { TextReader } from "./text-reader.ts";

/** The environment of a function. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Reads one variable; one that is missing counts as empty. If its text does not fit, the fault names the key and the text,
 * and says what would fit.
 */
export function readVariable<T>(key: string, text: string | undefined, read: TextReader<T>): T {
  const reading = read(text ?? "");
  if (reading.kind === "read") return reading.value;
  throw refused(key, text, reading.expected);
}

/** The fault for a variable that does not fit. */
export function refused(key: string, text: string | undefined, expected: string): Fault {
  const got = text === undefined ? "nothing" : JSON.stringify(text.slice(0, 200));
  return new Fault("config.invalid", `reading ${key}: expected ${expected}, got ${got}`);
}
