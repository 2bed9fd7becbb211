import { Fault } from "../../fault.ts";

/** What the errors of the SDK have in common, whatever the service. */
interface ServiceError {
  readonly name: string;
  readonly message: string;
  readonly status: number | undefined;
}

const denied =
  /AccessDenied|UnauthorizedOperation|UnrecognizedClient|InvalidClientTokenId|ExpiredToken|SignatureDoesNotMatch|AuthFailure|OptInRequired/;
const passing =
  /Throttl|RequestLimitExceeded|TooManyRequests|ResourceContention|Timeout|ServiceUnavailable|InternalFailure|InternalError/;

/** Makes a fault of whatever an AWS call threw; `doing` says what the call did to what. */
export function awsFault(doing: string, cause: unknown): Fault {
  const { name, message, status } = serviceError(cause);
  if (/^CredentialsProviderError/.test(name))
    return new Fault("aws.denied", `${doing}: no credentials were found: ${message}`, { cause });
  const came = status === undefined ? `${name}: ${message}` : `HTTP ${status} ${name}: ${message}`;
  if (denied.test(name)) return new Fault("aws.denied", `${doing}: ${came}`, { cause });
  if (status === undefined || status >= 500 || status === 429 || passing.test(name))
    return new Fault("aws.unreachable", `${doing}: ${came}`, { cause });
  return new Fault("aws.refused", `${doing}: ${came}`, { cause });
}

/** An error that is an answer: its name, what it means, and what its message is like. */
type Answer<M> = readonly [name: RegExp, means: M, message?: RegExp];

/** Calls AWS, and makes a fault of what it throws, unless that is an answer; `doing` says what the call did to what. */
export async function told<T, const M = never>(
  doing: string,
  call: () => Promise<T>,
  ...answers: readonly Answer<M>[]
): Promise<M | T> {
  try {
    return await call();
  } catch (cause) {
    const answer = answers.find(([name, , message = /./]) => isAwsError(cause, name, message));
    if (answer !== undefined) return answer[1];
    throw awsFault(doing, cause);
  }
}

/** Whether AWS refused a call with an error of this name and a message like this. */
export function isAwsError(cause: unknown, name: RegExp, message: RegExp): boolean {
  const error = serviceError(cause);
  return name.test(error.name) && message.test(error.message);
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
