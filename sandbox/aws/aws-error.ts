/** How an error names itself besides its code. */
export interface ErrorTraits {
  readonly status: number;
  /** The shape name in JSON answers, where it is not the code. */
  readonly type: string;
}

/** An answer by which a service refuses a call; each protocol writes it in its own shape. */
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

  /** Whose fault it is, as AWS says it. */
  get fault(): "Sender" | "Receiver" {
    return this.status < 500 ? "Sender" : "Receiver";
  }
}
