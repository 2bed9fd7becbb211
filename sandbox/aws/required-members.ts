import { NormalizedSchema } from "@smithy/core/schema";
import type { OperationSchema } from "./operation.ts";

/** The model names the members that must be given first, and says how many they are. */
function requiredMembers(schema: OperationSchema): readonly string[] {
  const input: unknown = NormalizedSchema.of(schema[4]).getSchema();
  if (!Array.isArray(input)) return [];
  const [, , , , names, , count] = input;
  return Array.isArray(names) && typeof count === "number" ? names.slice(0, count) : [];
}

/** The first member that an input must have and has not; undefined if it has all of them. */
export function missingMember(schema: OperationSchema, input: unknown): string | undefined {
  const given = new Set(Object.keys(Object(input)));
  return requiredMembers(schema).find((name) => !given.has(name));
}
