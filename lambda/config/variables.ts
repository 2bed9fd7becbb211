import * as z from "zod/mini";
import { Fault } from "../fault.ts";

/** The environment of a function. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Reads one variable. If its text does not fit, the fault names the key and the text, and says what would fit. */
export function readVariable<T>(
  key: string,
  text: string | undefined,
  schema: z.ZodMiniType<T>,
): T {
  const result = z.safeParse(schema, text);
  if (result.success) return result.data;
  throw refused(key, text, result.error.issues[0]?.message);
}

/** The fault for a variable that does not fit. */
export function refused(key: string, text: string | undefined, expected?: string): Fault {
  const got = text === undefined ? "nothing" : JSON.stringify(text.slice(0, 200));
  return new Fault("config.invalid", `reading ${key}: expected ${expected}, got ${got}`);
}

/** A text that is not empty. */
export const filled = (expected: string) => z.string(expected).check(z.minLength(1, expected));

/** A list of such items, written as JSON. */
export function jsonList<T>(item: z.ZodMiniType<T>, expected: string) {
  const parsed = z.transform((text: string, { issues }): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      issues.push({ code: "custom", message: expected, input: text });
      return z.NEVER;
    }
  });
  return z.pipe(z.pipe(z.string(expected), parsed), z.array(item, expected));
}
