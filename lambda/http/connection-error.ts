/** Why a request could not be sent, or got no answer. */
export type ConnectionReason = "refused" | "reset" | "timeout" | "tls" | "dns";

interface Circumstances extends ErrorOptions {
  readonly reason: ConnectionReason;
  /** Whether it is certain that the server did not act on the request. @default false */
  readonly unsent?: boolean;
}

/** A request that got no answer, or only part of one; the network's own error is its cause. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  readonly reason: ConnectionReason;
  /** Whether it is certain that the server did not act on the request. */
  readonly unsent: boolean;

  constructor(message: string, { reason, unsent = false, cause }: Circumstances) {
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
