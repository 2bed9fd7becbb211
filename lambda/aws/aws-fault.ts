import { Fault, type FaultCode } from "../base/fault.ts";

/** The common fields of the SDK's errors, for all services. */
interface ServiceError {
  readonly name: string;
  readonly message: string;
  readonly status: number | undefined;
}

const denied =
  /AccessDenied|UnauthorizedOperation|UnrecognizedClient|InvalidClientTokenId|InvalidAccessKeyId|ExpiredToken|MissingAuthenticationToken|RequestExpired|Signature|AuthFailure|OptInRequired/;
const passing =
  /Throttl|RequestLimitExceeded|TooManyRequests|ResourceContention|Timeout|ServiceUnavailable|InternalFailure|InternalError/;

/** Converts whatever an AWS call threw into a fault. `doing` says what the call did. */
export function awsFault(doing: string, cause: unknown): Fault {
  if (cause instanceof Fault) return cause;
  const error = serviceError(cause);
  const { name, message, status } = error;
  if (/^CredentialsProviderError/.test(name))
    return new Fault("aws.denied", `${doing}: no credentials were found: ${message}`, { cause });
  if (isForeign(error)) return foreignAnswer(`${doing}: HTTP ${status}`, wordsOf(error), { cause });
  const came = status === undefined ? `${name}: ${message}` : `HTTP ${status} ${name}: ${message}`;
  return new Fault(codeOf(error), `${doing}: ${came}`, { cause });
}

function codeOf({ name, status }: ServiceError): FaultCode {
  if (denied.test(name)) return "aws.denied";
  if (status === undefined || status >= 500 || status === 429 || passing.test(name))
    return "aws.unreachable";
  return status === 401 || status === 403 ? "aws.denied" : "aws.refused";
}

// Error names of the SDK for an answer that it cannot read, or that names no error of the service.
const unnamed = /^(?:(?:Error|SyntaxError|Unknown|UnknownError): |NotFound: Unknown$)/;

/** Whether something else than AWS has answered, such as a proxy on the way. So nothing is refused, and it may be over soon. */
const isForeign = ({ name, message, status }: ServiceError): boolean =>
  status !== undefined && unnamed.test(`${name}: ${message}`);

/** The message of such an answer, without the SDK's advice to developers. */
const wordsOf = ({ message }: ServiceError): string =>
  message === "Unknown" ? "" : `: ${message.split("\n", 1).join("")}`;

const foreignAnswer = (came: string, words: string, why?: ErrorOptions): Fault =>
  new Fault("aws.unreachable", `${came} with an answer that AWS does not give${words}`, why);

/** An answer, with the id that AWS gives each request. */
export interface AnswerWithId {
  readonly $metadata: { readonly requestId?: string | undefined };
}

type Listing<Name extends string, T> = AnswerWithId & {
  readonly [K in Name]?: readonly T[] | undefined;
};

/** Throws where an answer has no id of its request: something else has answered, and nothing follows from it. */
export function assertAnswered({ $metadata }: AnswerWithId, doing: string, lack = "no id"): void {
  if ($metadata.requestId === undefined)
    throw foreignAnswer(`${doing}: HTTP 200`, `: there is ${lack} in it`);
}

/** The list of this name in an answer. AWS sends an empty one too, or the id of the request at least. */
export function listIn<Name extends string, T>(
  answer: Listing<Name, T>,
  name: Name,
  doing: string,
): readonly T[] {
  const { [name]: list } = answer;
  if (list !== undefined) return list;
  assertAnswered(answer, doing, `no ${name}`);
  return [];
}

/** An error that is an answer: its name, what it means, and what its message is like. */
type ErrorMeaning<M> = readonly [name: RegExp, means: M, message?: RegExp];

/** Calls AWS. Errors that are answers are returned, others become faults. `doing` says what the call does. */
export async function ask<T, const M = never>(
  doing: string,
  call: (doing: string) => Promise<T>,
  ...answers: readonly ErrorMeaning<M>[]
): Promise<M | T> {
  try {
    return await call(doing);
  } catch (cause) {
    const answer = answers.find(([name, , message = /./]) => isAwsError(cause, name, message));
    if (answer !== undefined) return answer[1];
    throw awsFault(doing, cause);
  }
}

/** Whether AWS refused a call with an error of this name and a message like this. */
export function isAwsError(cause: unknown, name: RegExp, message: RegExp): boolean {
  const error = serviceError(cause);
  return !isForeign(error) && name.test(error.name) && message.test(error.message);
}

function serviceError(cause: unknown): ServiceError {
  if (!(cause instanceof Error))
    return { name: "Unknown", message: String(cause), status: undefined };
  const { name, message } = cause;
  return { name, message, status: statusOf(cause) };
}

function statusOf(error: Error): number | undefined {
  if (!("$metadata" in error)) return undefined;
  const { $metadata: metadata } = error;
  if (typeof metadata !== "object" || metadata === null) return undefined;
  if (!("httpStatusCode" in metadata)) return undefined;
  return typeof metadata.httpStatusCode === "number" ? metadata.httpStatusCode : undefined;
}
