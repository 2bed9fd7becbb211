import { NormalizedSchema, translateTraits } from "@smithy/core/schema";
import { type OperationSchema, operationName } from "./operation.ts";
import { isRecord, type Protocol } from "./wire.ts";

/** Prepares an output for a JSON protocol: each `Date` becomes its seconds since the epoch. */
function jsonOutput(value: unknown): unknown {
  if (value instanceof Date) return value.getTime() / 1000;
  if (Array.isArray(value)) return value.map(jsonOutput);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, jsonOutput(held)]));
}

const body = (output: unknown): string => JSON.stringify(jsonOutput(output ?? {}));

const contentType = { "content-type": "application/x-amz-json-1.0" };

/**
 * The protocol of SQS: JSON 1.0, with the operation in a target header, behind a name of the service such as `AmazonSQS`.
 * A refusal also carries the error code of the query protocol, which SQS spoke earlier.
 * @see https://smithy.io/2.0/aws/protocols/aws-query-protocol.html#aws-protocols-awsquerycompatible-trait
 */
export const jsonProtocol = (service: string): Protocol => ({
  claims: ({ headers }) => String(headers["x-amz-target"] ?? "").startsWith(`${service}.`),
  read(request, operations) {
    const name = String(request.headers["x-amz-target"]).slice(service.length + 1);
    const operation = operations.find(({ schema }) => operationName(schema) === name);
    if (operation === undefined) return { kind: "unknown", name };
    return { kind: "operation", operation, input: JSON.parse(request.body) };
  },
  answer: (_, output) => ({ status: 200, headers: contentType, body: body(output) }),
  refuse: ({ code, type, message, status, fault }) => ({
    status,
    headers: { ...contentType, "x-amzn-query-error": `${code};${fault}` },
    body: JSON.stringify({ __type: type, message }),
  }),
});

interface Binding {
  readonly method: string;
  readonly pattern: RegExp;
  readonly status: number;
}

function bindingOf(schema: OperationSchema): Binding {
  const { http } = translateTraits(schema[3]);
  if (http === undefined) return { method: "", pattern: /^$/, status: 200 };
  const [method, path, status] = http;
  const pattern = path.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)");
  return { method, pattern: new RegExp(`^${pattern}$`), status };
}

const scalar = (schema: NormalizedSchema, text: string): unknown => {
  if (schema.isNumericSchema()) return Number(text);
  return schema.isBooleanSchema() ? text === "true" : text;
};

function fromQuery(schema: NormalizedSchema, query: string): Record<string, unknown> {
  const fields = new URLSearchParams(query);
  const members: Record<string, unknown> = {};
  for (const [name, member] of schema.structIterator()) {
    const { httpQuery } = member.getMergedTraits();
    if (httpQuery === undefined || !fields.has(httpQuery)) continue;
    members[name] = member.isListSchema()
      ? fields.getAll(httpQuery)
      : scalar(member, fields.get(httpQuery) ?? "");
  }
  return members;
}

const fromPath = (labels: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).map(([key, text]) => [key, decodeURIComponent(text)]));

const fromBody = (text: string): object => {
  const value: unknown = text === "" ? {} : JSON.parse(text);
  return isRecord(value) ? value : {};
};

/**
 * The protocol of EKS and Lambda: method and path name the operation. It claims every request with neither a form nor a
 * target whose path begins so.
 * @see https://smithy.io/2.0/aws/protocols/aws-restjson1-protocol.html
 */
export const restJsonProtocol = (prefix: string): Protocol => ({
  claims: ({ headers, path }) =>
    headers["content-type"]?.includes("form-urlencoded") !== true &&
    headers["x-amz-target"] === undefined &&
    path.startsWith(prefix),
  read({ method, path, query, body: text }, operations) {
    for (const operation of operations) {
      const binding = bindingOf(operation.schema);
      const match = binding.method === method ? binding.pattern.exec(path) : null;
      if (match === null) continue;
      const schema = NormalizedSchema.of(operation.schema[4]);
      const input = { ...fromBody(text), ...fromQuery(schema, query), ...fromPath(match.groups) };
      return { kind: "operation", operation, input };
    }
    return { kind: "unknown", name: `${method} ${path}` };
  },
  answer: (schema, output) => ({
    status: bindingOf(schema).status,
    headers: { "content-type": "application/json" },
    body: body(output),
  }),
  refuse: ({ code, type, message, status }) => ({
    status,
    headers: { "content-type": "application/json", "x-amzn-errortype": type },
    body: JSON.stringify({ code, message }),
  }),
});
