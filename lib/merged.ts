/** The intersection of a union's members. */
export type AllOf<T> = (T extends unknown ? (one: T) => void : never) extends (
  all: infer A extends object,
) => void
  ? A
  : never;

/** The fields of all these objects in one object. */
export function merged<T extends object>(parts: readonly T[]): AllOf<T>;
export function merged(parts: readonly object[]): unknown {
  return Object.assign({}, ...parts);
}

/** Merges what the subjects of a list have under one name; an empty object if the list is empty. */
export function mergedBy<L extends object, K extends keyof L[keyof L]>(
  list: L,
  key: K,
): AllOf<L[keyof L][K]>;
export function mergedBy(list: object, key: string): unknown {
  return Object.assign({}, ...Object.values(list).map((subject) => subject[key]));
}
