import { malformed } from "./malformed.ts";

/** Reads a value at a path of an event; the fault names the first place that does not fit, and what would. */
export type Schema<T> = (value: unknown, path: string) => T;

export type ValueOf<S> = S extends Schema<infer T> ? T : never;

/** Reads the value at a path of an event. */
export const read = <T>(schema: Schema<T>, value: unknown, path: string): T => schema(value, path);

/** Reads JSON from the text at a path of an event. */
export function readJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw malformed(path, "JSON", text, { cause });
  }
}

/** The path of a value inside the value at a path. */
export function within(path: string, steps: readonly PropertyKey[]): string {
  return steps.reduce<string>((at, step) => {
    if (typeof step === "number") return `${at}[${step}]`;
    return at === "" ? String(step) : `${at}.${String(step)}`;
  }, path);
}

/** Whether a value has at least one of these fields, of its own and not by inheritance. */
export function has(value: unknown, ...fields: readonly string[]): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    fields.some((field) => Object.hasOwn(value, field))
  );
}
