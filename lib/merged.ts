/** What has all that each member of a union has. */
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
