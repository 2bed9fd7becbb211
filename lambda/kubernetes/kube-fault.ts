import { Fault, type FaultCode } from "../base/fault.ts";
import { LongAnswer } from "../http/long-answer.ts";
import { ConnectionError } from "../http/lost-connection.ts";
import { isStatus, type RefusedAnswer, RefusedRequest, readStatus } from "./refused-request.ts";

/** The answer with which the API server refused a request; `undefined` if it did not answer at all. */
export function tryRefusal(cause: unknown): RefusedAnswer | undefined {
  if (!(cause instanceof RefusedRequest)) return undefined;
  const { code, body, headers } = cause;
  return { code, body, retryAfter: headers["retry-after"] ?? "" };
}

/** Converts whatever a call to the Kubernetes API threw into a fault. `doing` says what the call did. */
export function kubeFault(doing: string, cause: unknown): Fault {
  if (cause instanceof Fault) return cause;
  const refusal = tryRefusal(cause);
  if (refusal !== undefined)
    return new Fault(faultCodeOf(refusal.code), `${doing}: ${refusalText(refusal)}`, { cause });
  if (cause instanceof ConnectionError)
    return new Fault("cluster.unreachable", `${doing}: ${cause.message}`, { cause });
  if (cause instanceof LongAnswer)
    return new Fault("cluster.refused", `${doing}: ${cause.message}`, { cause });
  if (cause instanceof SyntaxError)
    return new Fault("cluster.refused", `${doing}: the answer is no JSON: ${cause.message}`, {
      cause,
    });
  const what = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  return new Fault("internal.unexpected", `${doing}: ${what}`, { cause });
}

/** Throws what a call threw, as a fault if the call had no answer in time: `ask` does not send it again then. */
export const onlyOnce =
  (doing: string) =>
  (cause: unknown): never => {
    const late = cause instanceof ConnectionError && cause.reason === "timeout";
    throw late ? kubeFault(doing, cause) : cause;
  };

const notAccepted =
  "the API server of the cluster does not accept the caller, neither by an access entry nor by aws-auth";

/** The message of the API server. For a refused token it has no useful one. */
function refusalText({ code, body }: RefusedAnswer): string {
  if (code === 401) return `HTTP 401: ${notAccepted}`;
  return `HTTP ${code} ${readStatus(body).message}`.trimEnd();
}

function faultCodeOf(status: number): FaultCode {
  if (status === 401) return "cluster.unauthorized";
  return status === 403 ? "cluster.forbidden" : "cluster.refused";
}

/**
 * Whether the API server has nothing of that name. A 404 without its Status comes from something before it, such as a proxy
 * that has lost the cluster, and tells nothing of what is in there.
 */
function isNotFound(cause: unknown): boolean {
  const refusal = tryRefusal(cause);
  return refusal?.code === 404 && isStatus(refusal.body);
}

/**
 * The answer to a write; `absent` or `changed` if the object was written or removed since it was
 * read.
 */
export async function unlessChanged<A, T>(
  write: Promise<A>,
  saying: (answer: A) => T,
): Promise<T | "changed" | "gone"> {
  try {
    return saying(await write);
  } catch (cause) {
    if (tryRefusal(cause)?.code === 409) return "changed";
    if (isNotFound(cause)) return "gone";
    throw cause;
  }
}

/** The result of a read; `absent` where the API server has nothing of that name. */
export async function absentIfNotFound<T>(read: Promise<T>): Promise<T | "absent"> {
  try {
    return await read;
  } catch (cause) {
    if (isNotFound(cause)) return "absent";
    throw cause;
  }
}
