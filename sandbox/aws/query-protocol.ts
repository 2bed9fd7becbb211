import { NormalizedSchema } from "@smithy/core/schema";
import { operationName } from "./operation.ts";
import { isRecord, type Protocol, type WireAnswer } from "./wire.ts";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\r": "&#xD;",
};

/** Escapes a text for XML. */
const xmlText = (text: string): string =>
  text.replace(/[&<>"\r]/g, (character) => entities[character] ?? character);

/** Writes an element around content that is XML already. */
const element = (name: string, content: string): string =>
  content === "" ? `<${name}/>` : `<${name}>${content}</${name}>`;

const xmlScalar = (value: unknown): string =>
  xmlText(value instanceof Date ? value.toISOString() : String(value));

function xmlList(schema: NormalizedSchema, name: string, values: readonly unknown[]): string {
  const item = schema.getValueSchema();
  if (schema.getMergedTraits().xmlFlattened !== undefined)
    return values.map((value) => xmlOutput(item, name, value)).join("");
  const itemName = item.getMergedTraits().xmlName ?? "member";
  return element(name, values.map((value) => xmlOutput(item, itemName, value)).join(""));
}

const xmlMap = (
  schema: NormalizedSchema,
  name: string,
  values: Readonly<Record<string, unknown>>,
) =>
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
function xmlMembers(schema: NormalizedSchema, value: unknown): string {
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
function xmlOutput(schema: NormalizedSchema, name: string, value: unknown): string {
  if (schema.isListSchema() && Array.isArray(value)) return xmlList(schema, name, value);
  if (schema.isMapSchema() && isRecord(value)) return xmlMap(schema, name, value);
  if (schema.isStructSchema()) return element(name, xmlMembers(schema, value));
  return element(name, xmlScalar(value));
}

/** The two ways of naming parameters: `Ids.member.1`, and EC2's `Id.1`. */
type QueryStyle = "ec2" | "member";

/** A form's fields, and how they are named. */
interface QueryForm {
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
const queryInput = (schema: NormalizedSchema, form: QueryForm): unknown =>
  schema.isStructSchema() ? (readField(schema, form, "") ?? {}) : {};

const formType = "application/x-www-form-urlencoded";

/** The protocol of Auto Scaling, IAM and EC2: a request is a form, and its answer is XML. */
export function queryProtocol({
  version,
  namespace,
  style,
}: {
  readonly version: string;
  readonly namespace: string;
  readonly style: QueryStyle;
}): Protocol {
  const document = (status: number, name: string, content: string): WireAnswer =>
    xml(status, `<${name} xmlns="${namespace}">${content}</${name}>`);
  return {
    claims: ({ headers, body }) =>
      headers["content-type"]?.startsWith(formType) === true &&
      new URLSearchParams(body).get("Version") === version,
    read({ body }, operations) {
      const fields = new URLSearchParams(body);
      const name = fields.get("Action") ?? "";
      const operation = operations.find(({ schema }) => operationName(schema) === name);
      if (operation === undefined) return { kind: "unknown", name };
      const input = queryInput(NormalizedSchema.of(operation.schema[4]), { fields, style });
      return { kind: "operation", operation, input };
    },
    answer(schema, output, requestId) {
      const name = operationName(schema);
      const members = xmlMembers(NormalizedSchema.of(schema[5]), output);
      const metadata = element("ResponseMetadata", element("RequestId", requestId));
      const content =
        style === "ec2"
          ? element("requestId", requestId) + members
          : element(`${name}Result`, members) + metadata;
      return document(200, `${name}Response`, content);
    },
    refuse({ code, message, status, fault }, requestId) {
      const said = element("Code", xmlText(code)) + element("Message", xmlText(message));
      if (style === "ec2") {
        const errors = element("Errors", element("Error", said));
        return xml(status, element("Response", errors + element("RequestID", requestId)));
      }
      const error = element("Error", element("Type", fault) + said);
      return document(status, "ErrorResponse", error + element("RequestId", requestId));
    },
  };
}

const xml = (status: number, body: string): WireAnswer => ({
  status,
  headers: { "content-type": "text/xml;charset=UTF-8" },
  body: `<?xml version="1.0" encoding="UTF-8"?>\n${body}`,
});
