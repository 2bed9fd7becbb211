import { Fault } from "../fault.ts";

/** What should stand somewhere, and what does. */
export interface Mismatch {
  readonly expected: string;
  readonly found: unknown;
}

/** Tells where in an event something else was expected, and what was there instead. */
export function malformed(path: string, { expected, found }: Mismatch, why?: ErrorOptions): Fault {
  const place = path === "" ? "the event" : path;
  return new Fault(
    "event.malformed",
    `reading ${place}: expected ${expected}, got ${described(found)}`,
    why,
  );
}

/** A value from outside in a few words, however large or odd it is. */
export function described(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value !== "object" || value === null) return String(value);
  const keys = Object.keys(value);
  return keys.length === 0 ? "an empty object" : `an object of ${quoted(keys.join(", "))}`;
}

const shown = 60;

/** Quotes on one line, escapes what a terminal or a log would trip over, and says how much is left out. */
function quoted(text: string): string {
  if (text.length <= shown) return JSON.stringify(text);
  return `${JSON.stringify(text.slice(0, shown))}… (${text.length} characters)`;
}
