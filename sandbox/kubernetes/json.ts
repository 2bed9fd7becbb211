/** Any JSON value. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object; an undefined member counts as missing. */
export interface JsonObject {
  readonly [name: string]: JsonValue | undefined;
}

/** Whether a value is a JSON object. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A JSON value as text; the text of null or a missing value is empty. */
export const textOf = (value: JsonValue | undefined): string =>
  typeof value === "string" ? value : JSON.stringify(value ?? null).replace(/^null$/, "");

/** A copy that nobody can change, in depth. Parts that nobody can change already are not copied. */
export function frozenCopy<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T;
  const copy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) copy[name] = frozenCopy(member);
  return Object.freeze(copy) as T;
}
