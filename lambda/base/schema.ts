import { Fault } from "./fault.ts";
import { malformed } from "./malformed.ts";
import { type Schema, type ValueOf, within } from "./read.ts";

/** A value that a function makes something of, unless it returns `undefined`. */
export const field =
  <T>(expected: string, tryRead: (value: unknown) => T | undefined): Schema<T> =>
  (value, path) => {
    const read = tryRead(value);
    if (read === undefined) throw malformed(path, expected, value);
    return read;
  };

export const anyText = (expected: string): Schema<string> =>
  field(expected, (value) => (typeof value === "string" ? value : undefined));

export const text = (expected: string, form: RegExp): Schema<string> =>
  field(expected, (value) => (typeof value === "string" && form.test(value) ? value : undefined));

/** One of a few texts. */
export const oneOf = <const Texts extends readonly string[]>(
  ...texts: Texts
): Schema<Texts[number]> =>
  field(texts.join(" or "), (value) => texts.find((one) => one === value));

/** A value of any type, or none. */
export const anything: Schema<unknown> = (value) => value;

/** Converts a value that fits. */
export const made =
  <T, U>(schema: Schema<T>, make: (value: T) => U): Schema<U> =>
  (value, path) =>
    make(schema(value, path));

/** A value that may be missing or `null`, and is `usual` then. */
export const orDefault =
  <T>(schema: Schema<T>, usual: NoInfer<T>): Schema<T> =>
  (value, path) =>
    value === undefined || value === null ? usual : schema(value, path);

/** A value that may be missing, or `null` as some senders write it. */
export const optional =
  <T>(schema: Schema<T>): Schema<T | undefined> =>
  (value, path) =>
    value === undefined || value === null ? undefined : schema(value, path);

/** A value that only helps: `other` takes its place if it does not fit. */
export const orElse =
  <T>(schema: Schema<T>, other: T): Schema<T> =>
  (value, path) => {
    try {
      return schema(value, path);
    } catch (error) {
      if (error instanceof Fault) return other;
      throw error;
    }
  };

/** A list of such items. */
export const listOf =
  <T>(item: Schema<T>, expected: string): Schema<readonly T[]> =>
  (value, path) => {
    if (!Array.isArray(value)) throw malformed(path, expected, value);
    return value.map((one, index) => item(one, within(path, [index])));
  };

/** A list of at least one such item. */
export const someOf =
  <T>(item: Schema<T>, expected: string): Schema<readonly T[]> =>
  (value, path) => {
    const list = listOf(item, expected)(value, path);
    if (list.length === 0) throw malformed(path, expected, value);
    return list;
  };

type Shape = Readonly<Record<string, Schema<unknown>>>;
type FieldValues<S extends Shape> = { readonly [Name in keyof S]: ValueOf<S[Name]> };

/** An object with certain fields; other fields are no error, because AWS adds some now and then, and are left out. */
export function record<const S extends Shape>(shape: S): Schema<FieldValues<S>>;
// TypeScript cannot see that each field has the type of its schema.
export function record(shape: Shape): Schema<object> {
  const rows = Object.entries(shape);
  return (value, path) => {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw malformed(path, "an object", value);
    const own = new Map(Object.entries(value));
    return Object.fromEntries(
      rows.map(([name, schema]) => [name, schema(own.get(name), within(path, [name]))]),
    );
  };
}

/** An object with certain fields, and whatever else is in it. */
export const open =
  <const S extends Shape>(shape: S): Schema<FieldValues<S> & Readonly<Record<string, unknown>>> =>
  (value, path) => ({ ...Object(value), ...record(shape)(value, path) });
