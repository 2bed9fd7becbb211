import { NormalizedSchema } from "@smithy/core/schema";
import type { AwsError } from "./aws-error.ts";
import { type Operation, type OperationSchema, operationName } from "./operation.ts";
import { type QueryStyle, queryInput } from "./query-input.ts";
import type { Asked, Protocol, WireAnswer, WireRequest } from "./wire.ts";
import { element, xmlMembers, xmlText } from "./xml-output.ts";

/** The query API that a service speaks. */
export interface QueryApi {
  readonly version: string;
  readonly namespace: string;
  readonly style: QueryStyle;
}

const formType = "application/x-www-form-urlencoded";

/** The protocol of Auto Scaling, IAM and EC2: a request is a form, and its answer is XML. */
export class QueryProtocol implements Protocol {
  readonly #api: QueryApi;

  constructor(api: QueryApi) {
    this.#api = api;
  }

  claims({ headers, body }: WireRequest): boolean {
    if (headers["content-type"]?.startsWith(formType) !== true) return false;
    return new URLSearchParams(body).get("Version") === this.#api.version;
  }

  read({ body }: WireRequest, operations: readonly Operation[]): Asked {
    const fields = new URLSearchParams(body);
    const name = fields.get("Action") ?? "";
    const operation = operations.find(({ schema }) => operationName(schema) === name);
    if (operation === undefined) return { kind: "unknown", name };
    const schema = NormalizedSchema.of(operation.schema[4]);
    const input = queryInput(schema, { fields, style: this.#api.style });
    return { kind: "operation", operation, input };
  }

  answer(schema: OperationSchema, output: unknown, requestId: string): WireAnswer {
    const name = operationName(schema);
    const members = xmlMembers(NormalizedSchema.of(schema[5]), output);
    const content =
      this.#api.style === "ec2"
        ? element("requestId", requestId) + members
        : element(`${name}Result`, members) +
          element("ResponseMetadata", element("RequestId", requestId));
    return this.#document(200, `${name}Response`, content);
  }

  refuse({ code, message, status, fault }: AwsError, requestId: string): WireAnswer {
    const said = element("Code", xmlText(code)) + element("Message", xmlText(message));
    if (this.#api.style === "ec2") {
      const errors = element("Errors", element("Error", said));
      const body = element("Response", errors + element("RequestID", requestId));
      return xml(status, body);
    }
    const error = element("Error", element("Type", fault) + said);
    return this.#document(status, "ErrorResponse", error + element("RequestId", requestId));
  }

  #document(status: number, name: string, content: string): WireAnswer {
    return xml(status, `<${name} xmlns="${this.#api.namespace}">${content}</${name}>`);
  }
}

const xml = (status: number, body: string): WireAnswer => ({
  status,
  headers: { "content-type": "text/xml;charset=UTF-8" },
  body: `<?xml version="1.0" encoding="UTF-8"?>\n${body}`,
});
