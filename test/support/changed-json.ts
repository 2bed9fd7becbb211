/** The path to a place inside a JSON value. */
export type Path = readonly (string | number)[];

/** Marks a field to leave out. */
export const absent = Symbol("absent");

/** A copy of a JSON value with something else at a path. */
export function replaced(value: unknown, path: Path, by: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return by;
  const copy = structuredClone(value) as Record<string, unknown>;
  if (rest.length === 0 && by === absent) delete copy[key];
  else copy[key] = replaced(copy[key], rest, by);
  return copy;
}

/** A path in the notation of faults. */
export const written = (path: Path) =>
  path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("");

/** The paths to every place in a JSON value, including the value itself. */
export function placesIn(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [path, ...entries.flatMap(([key, inner]) => placesIn(inner, [...path, key]))];
}

/** Values that are wrong where a string belongs. */
export const mistyped: readonly unknown[] = [
  null,
  42,
  1e300,
  true,
  [],
  [["i-0598c7d356eba48d7"]],
  { constructor: {}, toString: 1 },
];

/** 256 KB without meaning. */
export const noise = "x".repeat(262_144);

/** Strings that are wrong where a certain string belongs. */
export const misspelt: readonly string[] = [
  "",
  " ",
  "\ud800",
  "constructor",
  "I-0598C7D356EBA48D7",
  noise,
  `i-${"0".repeat(262_142)}`,
];
