import { tryJson } from "../base/try-json.ts";

/** The name by which people know a setting's key. */
export type NameOf = (key: string) => string;

/** The expected value in words; a function where they name other settings. */
export type Expected = string | ((nameOf: NameOf) => string);

/** The value of a text, or the expected value. */
export type Reading<T> =
  | { readonly kind: "read"; readonly value: T }
  | { readonly kind: "refused"; readonly expected: Expected };

/**
 * Reads a text.
 *
 * These are functions instead of zod's schemas: the environment consists of texts alone, and a cold start would build a
 * schema for each of 40 settings to read each once.
 */
export type TextReader<T> = (text: string) => Reading<T>;

/** Reads a text by a function that returns `undefined` for a text that does not fit. */
export const textReader =
  <T>(expected: Expected, tryRead: (text: string) => T | undefined): TextReader<T> =>
  (text) => {
    const value = tryRead(text);
    return value === undefined ? { kind: "refused", expected } : { kind: "read", value };
  };

/** Reads a text that is not empty. */
export const filled = (expected: string): TextReader<string> =>
  textReader(expected, (text) => (text === "" ? undefined : text));

/** Reads a list of such items, written as JSON. */
export const jsonList = <T>(
  expected: string,
  isItem: (item: unknown) => item is T,
): TextReader<readonly T[]> =>
  textReader(expected, (text) => {
    const list = tryJson(text);
    return Array.isArray(list) && list.every(isItem) ? list : undefined;
  });
