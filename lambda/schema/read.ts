import * as z from "zod/mini";
import { malformed } from "./malformed.ts";

/** Reads the value at a path of an event; if it does not fit the schema, the fault names the first place that does not. */
export function read<T>(schema: z.core.$ZodType<T>, value: unknown, path: string): T {
  const result = z.safeParse(schema, value, { reportInput: true });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const expected = issue?.message ?? "something else";
  throw malformed(within(path, issue?.path ?? []), { expected, found: issue?.input });
}

/** Reads JSON from the text at a path of an event. */
export function readJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw malformed(path, { expected: "JSON", found: text }, { cause });
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
