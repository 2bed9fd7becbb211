/** Everything that can break. Each code is a heading in docs/runbook.md. */
const faults = {
  "access.incomplete": { retryable: true },
  "access.taken": { retryable: true },
  "access.unreadable": { retryable: true },
  "access.wrong-type": { retryable: true },
  "aws.denied": { retryable: true },
  "aws.refused": { retryable: false },
  "aws.unreachable": { retryable: true },
  "cluster.forbidden": { retryable: true },
  "cluster.not-found": { retryable: false },
  "cluster.refused": { retryable: true },
  "cluster.taken": { retryable: false },
  "cluster.unauthorized": { retryable: true },
  "cluster.unreachable": { retryable: true },
  "config.invalid": { retryable: false },
  "event.malformed": { retryable: false },
  "hook.taken": { retryable: false },
  "hook.uncompleted": { retryable: false },
  "internal.unexpected": { retryable: true },
  "webhook.undelivered": { retryable: true },
} as const satisfies Record<string, { readonly retryable: boolean }>;

/** The name of a failure, `area.problem`. */
export type FaultCode = keyof typeof faults;

/** Every failure code, for the runbook and its test. */
export const faultCodes = Object.keys(faults);

/** A failure, not an outcome: a blocked eviction is an `Eviction`, never a `Fault`. */
export class Fault extends Error {
  // Lambda writes the name of the class into the log, and a bundle shortens that.
  static override readonly name = "Fault";
  override readonly name = "Fault";
  readonly code: FaultCode;
  /** Whether the same work may succeed later. */
  readonly retryable: boolean;
  /** Within how many milliseconds the work has to be tried again, because something runs out after that. */
  readonly retryWithin: number;

  constructor(
    code: FaultCode,
    message: string,
    options: ErrorOptions & { readonly retryWithin?: number } = {},
  ) {
    const { retryWithin = Number.POSITIVE_INFINITY, ...rest } = options;
    super(`${code}: ${message}`, rest);
    this.code = code;
    this.retryable = faults[code].retryable;
    this.retryWithin = retryWithin;
  }

  /** The message without the code. No field, because Lambda writes each field of an error that was thrown into the log. */
  get said(): string {
    return this.message.slice(`${this.code}: `.length);
  }

  /** The same failure, of work that has to be tried again within some milliseconds. */
  within(milliseconds: number): Fault {
    return new Fault(this.code, this.said, { cause: this.cause, retryWithin: milliseconds });
  }
}

/** The code of the fault that has this message; empty for another error's. */
export const codeIn = (message: string): string =>
  faultCodes.find((code) => message.startsWith(`${code}: `)) ?? "";

/** Makes a fault of anything that was thrown; anything that is not a fault already is a defect of ours. */
export function faultOf(cause: unknown): Fault {
  if (cause instanceof Fault) return cause;
  const what = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  return new Fault("internal.unexpected", what, { cause });
}
