import { Fault } from "./fault.ts";
import { legible } from "./legible.ts";

/** Makes the fault that names a place in an event, what is expected there and what is there instead. */
export function malformed(
  path: string,
  expected: string,
  found: unknown,
  why?: ErrorOptions,
): Fault {
  const place = path === "" ? "the event" : path;
  return new Fault(
    "event.malformed",
    `reading ${place}: expected ${expected}, got ${described(found)}`,
    why,
  );
}

/** Describes a value from outside in a few words, however large or odd it is. */
export function described(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value !== "object" || value === null) return String(value);
  const keys = Object.keys(value);
  return keys.length === 0 ? "an empty object" : `an object of ${quoted(keys.join(", "))}`;
}

const shown = 60;

/** Quotes a text on one line, escapes what would upset a terminal or a log, and says how much it leaves out. */
function quoted(text: string): string {
  const quote = legible(JSON.stringify(text.slice(0, shown)));
  return text.length <= shown ? quote : `${quote}… (${text.length} characters)`;
}
