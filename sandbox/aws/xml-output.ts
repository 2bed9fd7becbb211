import type { NormalizedSchema } from "@smithy/core/schema";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\r": "&#xD;",
};

/** Escapes a text for XML. */
export const xmlText = (text: string): string =>
  text.replace(/[&<>"\r]/g, (character) => entities[character] ?? character);

/** Writes an element around content that is XML already. */
export const element = (name: string, content: string): string =>
  content === "" ? `<${name}/>` : `<${name}>${content}</${name}>`;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

const scalar = (value: unknown): string =>
  xmlText(value instanceof Date ? value.toISOString() : String(value));

function list(schema: NormalizedSchema, name: string, values: readonly unknown[]): string {
  const item = schema.getValueSchema();
  if (schema.getMergedTraits().xmlFlattened !== undefined)
    return values.map((value) => xmlOutput(item, name, value)).join("");
  const itemName = item.getMergedTraits().xmlName ?? "member";
  return element(name, values.map((value) => xmlOutput(item, itemName, value)).join(""));
}

const map = (schema: NormalizedSchema, name: string, values: Readonly<Record<string, unknown>>) =>
  element(
    name,
    Object.entries(values)
      .map(([key, value]) =>
        element(
          "entry",
          element("key", xmlText(key)) + xmlOutput(schema.getValueSchema(), "value", value),
        ),
      )
      .join(""),
  );

/** Writes the members of a structure, in the order of its schema. */
export function xmlMembers(schema: NormalizedSchema, value: unknown): string {
  if (!(schema.isStructSchema() && isRecord(value))) return "";
  let content = "";
  for (const [name, member] of schema.structIterator()) {
    const held = value[name];
    if (held === undefined || held === null) continue;
    content += xmlOutput(member, member.getMemberTraits().xmlName ?? name, held);
  }
  return content;
}

/** Writes a value as XML, as its schema describes it. @see https://smithy.io/2.0/aws/protocols/aws-query-protocol.html */
export function xmlOutput(schema: NormalizedSchema, name: string, value: unknown): string {
  if (schema.isListSchema() && Array.isArray(value)) return list(schema, name, value);
  if (schema.isMapSchema() && isRecord(value)) return map(schema, name, value);
  if (schema.isStructSchema()) return element(name, xmlMembers(schema, value));
  return element(name, scalar(value));
}
