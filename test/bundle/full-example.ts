import * as clientNode from "@kubernetes/client-node";

interface Attribute {
  readonly baseName: string;
  readonly type: string;
}

interface Model {
  getAttributeTypeMap(): readonly Attribute[];
}

const isModel = (value: unknown): value is Model =>
  typeof value === "function" && "getAttributeTypeMap" in value;

const simple: Readonly<Record<string, unknown>> = {
  any: { anything: [1, "2", null] },
  boolean: true,
  Date: "2026-11-20T10:00:00Z",
  IntOrString: "10%",
  number: 7,
  string: "text",
  V1MicroTime: "2026-11-20T10:00:00.000001Z",
};

/** A value of a type of client-node as the API server would send it, with every field there is. */
export function fullExample(type: string): unknown {
  const [, element, value] = /^Array<(.*)>$|^\{ \[key: string\]: (.*); \}$/.exec(type) ?? [];
  if (element !== undefined) return [fullExample(element), fullExample(element)];
  if (value !== undefined) return { one: fullExample(value), two: fullExample(value) };
  if (type in simple) return simple[type];
  const model: unknown = Reflect.get(clientNode, type);
  if (!isModel(model)) throw new Error(`no such type in client-node: ${type}`);
  const fields = model
    .getAttributeTypeMap()
    .map((field) => [field.baseName, fullExample(field.type)]);
  return { ...Object.fromEntries(fields), aFieldOfTheFuture: { kept: false } };
}
