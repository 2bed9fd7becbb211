/** One detailed reason why the API server refused a request. */
export interface StatusCause {
  readonly reason: string;
  readonly message: string;
  readonly field?: string;
}

/** The object that a refusal or a success is about, and the causes. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** The answer of the API server if it does not answer with an object. */
export interface Status {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: object;
  readonly status: "Success" | "Failure";
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

/** The error of a refused request, with the Status that the API server answers. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: Status & { readonly code: number };

  constructor({
    code,
    message,
    reason,
    details,
  }: {
    readonly code: number;
    readonly message: string;
    readonly reason?: string;
    readonly details?: StatusDetails;
  }) {
    super(message);
    const heading = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" } as const;
    this.status = { ...heading, message, reason, details, code };
  }
}

/** The Status of a successful request. */
export const success = (rest: Pick<Status, "details" | "code">): Status => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Success",
  ...rest,
});
