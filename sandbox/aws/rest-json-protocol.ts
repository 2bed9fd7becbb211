import { NormalizedSchema, translateTraits } from "@smithy/core/schema";
import type { AwsError } from "./aws-error.ts";
import type { Operation, OperationSchema } from "./operation.ts";
import {
  jsonOutput,
  type Protocol,
  type RequestedOperation,
  type WireAnswer,
  type WireRequest,
} from "./wire.ts";

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

const fromBody = (body: string): object => {
  const value = body === "" ? {} : JSON.parse(body);
  return typeof value === "object" && value !== null ? value : {};
};

/** The protocol of EKS and Lambda: method and path name the operation. @see https://smithy.io/2.0/aws/protocols/aws-restjson1-protocol.html */
export class RestJsonProtocol implements Protocol {
  readonly #prefix: string;

  /** Takes the beginning of the paths of a service. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Claims every request with neither a form nor a target whose path is one of the service's. */
  claims({ headers, path }: WireRequest): boolean {
    const form = headers["content-type"]?.includes("form-urlencoded") ?? false;
    return !form && headers["x-amz-target"] === undefined && path.startsWith(this.#prefix);
  }

  read(
    { method, path, query, body }: WireRequest,
    operations: readonly Operation[],
  ): RequestedOperation {
    for (const operation of operations) {
      const binding = bindingOf(operation.schema);
      const match = binding.method === method ? binding.pattern.exec(path) : null;
      if (match === null) continue;
      const schema = NormalizedSchema.of(operation.schema[4]);
      const input = { ...fromBody(body), ...fromQuery(schema, query), ...fromPath(match.groups) };
      return { kind: "operation", operation, input };
    }
    return { kind: "unknown", name: `${method} ${path}` };
  }

  answer(schema: OperationSchema, output: unknown): WireAnswer {
    const body = JSON.stringify(jsonOutput(output ?? {}));
    const { status } = bindingOf(schema);
    return { status, headers: { "content-type": "application/json" }, body };
  }

  refuse({ code, type, message, status }: AwsError): WireAnswer {
    return {
      status,
      headers: { "content-type": "application/json", "x-amzn-errortype": type },
      body: JSON.stringify({ code, message }),
    };
  }
}
