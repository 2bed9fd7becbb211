import type { AwsError } from "./aws-error.ts";
import { type Operation, operationName } from "./operation.ts";
import {
  jsonOutput,
  type Protocol,
  type RequestedOperation,
  type WireAnswer,
  type WireRequest,
} from "./wire.ts";

const contentType = { "content-type": "application/x-amz-json-1.0" };

/**
 * The protocol of SQS: JSON 1.0, with the operation in a target header. A refusal also carries
 * the error code of the query protocol, which SQS spoke earlier.
 * @see https://smithy.io/2.0/aws/protocols/aws-query-protocol.html#aws-protocols-awsquerycompatible-trait
 */
export class JsonProtocol implements Protocol {
  readonly #prefix: string;

  /** Takes the service part of the target, such as `AmazonSQS`. */
  constructor(service: string) {
    this.#prefix = `${service}.`;
  }

  claims({ headers }: WireRequest): boolean {
    return String(headers["x-amz-target"] ?? "").startsWith(this.#prefix);
  }

  read({ headers, body }: WireRequest, operations: readonly Operation[]): RequestedOperation {
    const name = String(headers["x-amz-target"]).slice(this.#prefix.length);
    const operation = operations.find(({ schema }) => operationName(schema) === name);
    if (operation === undefined) return { kind: "unknown", name };
    return { kind: "operation", operation, input: JSON.parse(body) };
  }

  answer(_schema: unknown, output: unknown): WireAnswer {
    return { status: 200, headers: contentType, body: JSON.stringify(jsonOutput(output ?? {})) };
  }

  refuse({ code, type, message, status, fault }: AwsError): WireAnswer {
    return {
      status,
      headers: { ...contentType, "x-amzn-query-error": `${code};${fault}` },
      body: JSON.stringify({ __type: type, message }),
    };
  }
}
