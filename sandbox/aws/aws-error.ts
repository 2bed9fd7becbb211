/** What an error carries besides its code. */
export interface ErrorTraits {
  readonly status: number;
  /** The shape name in JSON answers, if it differs from the code. */
  readonly type: string;
}

/** A service's refusal of a call; each protocol writes it in its own shape. */
export class AwsError extends Error {
  override readonly name = "AwsError";
  readonly code: string;
  readonly status: number;
  readonly type: string;

  constructor(
    code: string,
    message: string,
    { status = 400, type = code }: Partial<ErrorTraits> = {},
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.type = type;
  }

  /** Who caused the error, in AWS's words. */
  get fault(): "Sender" | "Receiver" {
    return this.status < 500 ? "Sender" : "Receiver";
  }
}
