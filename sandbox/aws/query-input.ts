import type { NormalizedSchema } from "@smithy/core/schema";

/** The two ways of naming parameters: `Ids.member.1`, and EC2's `Id.1`. */
export type QueryStyle = "ec2" | "member";

/** A form's fields, and how they are named. */
export interface QueryForm {
  readonly fields: URLSearchParams;
  readonly style: QueryStyle;
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function fieldName(name: string, schema: NormalizedSchema, style: QueryStyle): string {
  const { xmlName, ec2QueryName } = schema.getMergedTraits();
  if (style === "member") return xmlName ?? name;
  return typeof ec2QueryName === "string" ? ec2QueryName : capitalized(xmlName ?? name);
}

function scalar(schema: NormalizedSchema, text: string): unknown {
  if (schema.isBooleanSchema()) return text === "true";
  if (schema.isNumericSchema()) return Number(text);
  if (schema.isTimestampSchema()) return new Date(text);
  return text;
}

function list(schema: NormalizedSchema, form: QueryForm, prefix: string): unknown {
  const item = schema.getValueSchema();
  const flat = form.style === "ec2" || schema.getMergedTraits().xmlFlattened !== undefined;
  const stem = flat ? prefix : `${prefix}.${item.getMergedTraits().xmlName ?? "member"}`;
  const items: unknown[] = [];
  for (;;) {
    const value = readField(item, form, `${stem}.${items.length + 1}`);
    if (value === undefined) break;
    items.push(value);
  }
  return items.length > 0 || form.fields.has(prefix) ? items : undefined;
}

function structure(schema: NormalizedSchema, form: QueryForm, prefix: string): unknown {
  const members: Record<string, unknown> = {};
  for (const [name, member] of schema.structIterator()) {
    const field = fieldName(name, member, form.style);
    const value = readField(member, form, prefix === "" ? field : `${prefix}.${field}`);
    if (value !== undefined) members[name] = value;
  }
  return Object.keys(members).length > 0 ? members : undefined;
}

function readField(schema: NormalizedSchema, form: QueryForm, prefix: string): unknown {
  if (schema.isStructSchema()) return structure(schema, form, prefix);
  if (schema.isListSchema()) return list(schema, form, prefix);
  const text = form.fields.get(prefix);
  return text === null ? undefined : scalar(schema, text);
}

/** Reads an operation's input from the fields of a form. @see https://smithy.io/2.0/aws/protocols/aws-query-protocol.html */
export const queryInput = (schema: NormalizedSchema, form: QueryForm): unknown =>
  schema.isStructSchema() ? (readField(schema, form, "") ?? {}) : {};
