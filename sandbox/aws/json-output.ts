const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** Prepares an output for a JSON protocol: each `Date` becomes its seconds since the epoch. */
export function jsonOutput(value: unknown): unknown {
  if (value instanceof Date) return value.getTime() / 1000;
  if (Array.isArray(value)) return value.map(jsonOutput);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, jsonOutput(held)]));
}
