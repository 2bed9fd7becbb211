import type { IncomingHttpHeaders } from "node:http";
import type { AwsError } from "./aws-error.ts";
import type { Operation, OperationSchema } from "./operation.ts";
import type { RefusalCodes } from "./refusals.ts";

/** A request as it came in, before anything is decoded. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An answer as it goes out. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The operation of a request. */
export type RequestedOperation =
  | { readonly kind: "operation"; readonly operation: Operation; readonly input: unknown }
  | { readonly kind: "unknown"; readonly name: string };

/** The protocol that one service speaks over HTTP. */
export interface Protocol {
  /** Whether a request is meant for this service. */
  claims(request: WireRequest): boolean;
  read(request: WireRequest, operations: readonly Operation[]): RequestedOperation;
  answer(schema: OperationSchema, output: unknown, requestId: string): WireAnswer;
  refuse(error: AwsError, requestId: string): WireAnswer;
}

/** The API of a service: its protocol, its error codes and its operations. */
export interface ServiceApi {
  /** The service name in the signatures of requests, such as `autoscaling`. */
  readonly signingName: string;
  readonly protocol: Protocol;
  readonly codes: RefusalCodes;
  readonly operations: readonly Operation[];
}

/** Whether a value has members: an input, an output, or a part of one. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
