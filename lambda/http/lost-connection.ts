const networkCodes: ReadonlyMap<string, ConnectionReason> = new Map([
  ["EADDRNOTAVAIL", "refused"],
  ["ECONNREFUSED", "refused"],
  ["EHOSTUNREACH", "refused"],
  ["ENETUNREACH", "refused"],
  ["ETIMEDOUT", "timeout"],
  ["EAI_AGAIN", "dns"],
  ["EAI_FAIL", "dns"],
  ["ENODATA", "dns"],
  ["ENOTFOUND", "dns"],
]);

/**
 * The codes of a handshake that failed: Node's, OpenSSL's, and X.509 verification's.
 *
 * @see https://nodejs.org/docs/latest-v24.x/api/tls.html#x509-certificate-error-codes
 */
const tlsCodes =
  /^(EPROTO$|ERR_TLS_|ERR_SSL_|CERT_|CRL_|DEPTH_ZERO_|ERROR_IN_|HOSTNAME_MISMATCH$|INVALID_|PATH_LENGTH_|SELF_SIGNED_|UNABLE_TO_)/;

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : "";
}

function reasonOf(code: string): ConnectionReason {
  return networkCodes.get(code) ?? (tlsCodes.test(code) ? "tls" : "reset");
}

/** Makes a ConnectionError of a network error; `unsent` means that the request certainly did not leave. */
export function lostConnection(cause: unknown, certainty?: "unsent"): ConnectionError {
  if (cause instanceof ConnectionError) return cause;
  const message =
    cause instanceof Error ? cause.message : "the connection closed without an answer";
  const reason = reasonOf(codeOf(cause));
  return new ConnectionError(message, { reason, unsent: certainty === "unsent", cause });
}

/** Why a request could not be sent, or got no answer. */
type ConnectionReason = "refused" | "reset" | "timeout" | "tls" | "dns";

/** A request that got no answer, or only part of one; the network's own error is its cause. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  readonly reason: ConnectionReason;
  /** Whether it is certain that the server did not act on the request. */
  readonly unsent: boolean;

  constructor(
    message: string,
    {
      reason,
      unsent = false,
      cause,
    }: ErrorOptions & {
      readonly reason: ConnectionReason;
      /** Whether it is certain that the server did not act on the request. @default false */
      readonly unsent?: boolean;
    },
  ) {
    super(message, { cause });
    this.reason = reason;
    this.unsent = unsent;
  }

  /** The same failure, with a message that begins with what was being done. */
  during(doing: string): ConnectionError {
    const { reason, unsent, cause } = this;
    return new ConnectionError(`${doing}: ${this.message}`, { reason, unsent, cause });
  }
}
