import type { GetQueueUrl$ } from "@aws-sdk/client-sqs";

/** The model of one operation, as the SDK carries it: name, HTTP binding, input and output shapes. */
export type OperationSchema = typeof GetQueueUrl$;

/** Who makes the call, and at which endpoint. */
export interface Caller {
  /** The ARN of the principal that signed the request. */
  readonly principal: string;
  /** The principal's id, `AROA…:SESSION` for a role's session. */
  readonly userId: string;
  /** The host and port the request was sent to. */
  readonly host: string;
  /** Fires when the caller no longer waits for the answer. */
  readonly gone: AbortSignal;
}

/** The condition keys of a request; some have several values, such as `aws:TagKeys`. */
export type ConditionKeys = Readonly<Record<string, string | readonly string[]>>;

/** The right that a call needs. */
export interface CallPermission {
  readonly action: string;
  readonly resource: string;
  /** The condition keys that the service sets for the request. @default none */
  readonly context?: ConditionKeys;
}

/**
 * The resource of a right that a call needs, by its ARN or with its condition keys, or an action
 * besides its own.
 */
type Need = string | (Omit<CallPermission, "action"> & Partial<Pick<CallPermission, "action">>);

/** One operation of a service: its model, the permissions it needs, and what it does. */
export interface Operation {
  readonly schema: OperationSchema;
  readonly permissions: (input: unknown) => readonly CallPermission[];
  readonly run: (input: unknown, caller: Caller) => unknown;
}

/**
 * Joins an operation's model with what it does, and with what IAM checks it on: without a resource unless it says more.
 *
 * The casts are sound as long as `schema` is the schema of `Input`: the transport builds the input
 * from that schema.
 */
export function operation<Input>(
  service: string,
  schema: OperationSchema,
  run: (input: Input, caller: Caller) => unknown,
  needs: (input: Input) => Need | readonly Need[] = () => "*",
): Operation {
  const action = `${service}:${operationName(schema)}`;
  const permission = (need: Need): CallPermission =>
    typeof need === "string" ? { action, resource: need } : { action, ...need };
  return {
    schema,
    permissions: (input) => [needs(input as Input)].flat().map(permission),
    run: (input, caller) => run(input as Input, caller),
  };
}

/** The name of an operation, such as `DescribeInstances`. */
export const operationName = (schema: OperationSchema): string => schema[2];
