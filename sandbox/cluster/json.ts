/** Anything JSON can say. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** An object of JSON; an undefined member is one that is not there. */
export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

/** Tells an object of JSON from every other value. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A word of JSON as text; nothing is empty text. */
export const textOf = (value: Json | undefined): string =>
  typeof value === "string" ? value : JSON.stringify(value ?? null).replace(/^null$/, "");

/** Freezes a value in depth, so that who reads it cannot change it. */
export function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}
