import { NormalizedSchema } from "@smithy/core/schema";
import type { OperationSchema } from "./operation.ts";

/** The model lists the required members first, and holds their number. */
function requiredMembers(schema: OperationSchema): readonly string[] {
  const input: unknown = NormalizedSchema.of(schema[4]).getSchema();
  if (!Array.isArray(input)) return [];
  const [, , , , names, , count] = input;
  return Array.isArray(names) && typeof count === "number" ? names.slice(0, count) : [];
}

/** The first required member that an input lacks; undefined if the input has them all. */
export function missingMember(schema: OperationSchema, input: unknown): string | undefined {
  const given = new Set(Object.keys(Object(input)));
  return requiredMembers(schema).find((name) => !given.has(name));
}
