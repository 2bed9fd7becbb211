import type { Fields } from "../../bundle/fields.ts";
import { attributesOf } from "./client-models.ts";

const simple: Readonly<Record<string, unknown>> = {
  any: { anything: [1, "2", null] },
  boolean: true,
  Date: "2026-11-20T10:00:00Z",
  IntOrString: "10%",
  number: 7,
  string: "text",
  V1MicroTime: "2026-11-20T10:00:00.000001Z",
};

/** A value of a type of client-node as the API server would send it, with every field there is, or every one in use. */
export function fullExample(type: string, inUse: Fields = {}): unknown {
  const [, element, value] = /^Array<(.*)>$|^\{ \[key: string\]: (.*); \}$/.exec(type) ?? [];
  if (element !== undefined) return [fullExample(element, inUse), fullExample(element, inUse)];
  if (value !== undefined)
    return { one: fullExample(value, inUse), two: fullExample(value, inUse) };
  if (type in simple) return simple[type];
  const fields = attributesOf(type)
    .filter(({ baseName }) => inUse[type]?.includes(baseName) ?? true)
    .map((field) => [field.baseName, fullExample(field.type, inUse)]);
  return { ...Object.fromEntries(fields), aFieldOfTheFuture: { kept: false } };
}
