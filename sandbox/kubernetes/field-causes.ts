import type { StatusCause } from "./status.ts";

/** A value breaks the rules of its field. */
export const invalidValue = (field: string, value: string, why: string): StatusCause => ({
  reason: "FieldValueInvalid",
  message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
  field,
});

/** A field must not be empty. */
export const required = (field: string, why = "Required value"): StatusCause => ({
  reason: "FieldValueRequired",
  message: why,
  field,
});
