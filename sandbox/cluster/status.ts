/** Why, in detail, a request was refused. */
export interface StatusCause {
  readonly reason: string;
  readonly message: string;
  readonly field?: string;
}

/** What a refusal or a success is about. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** The answer of the API server when there is no object to answer with. */
export interface Status {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: { readonly continue?: string };
  readonly status: "Success" | "Failure";
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

/** What tells one refusal from another. */
export interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly metadata?: { readonly continue?: string };
}

/** A request that the API server refuses, with the Status it answers. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: Status & { readonly code: number };

  constructor({ code, message, reason, details, metadata = {} }: Refusal) {
    super(message);
    const heading = { kind: "Status", apiVersion: "v1", metadata, status: "Failure" } as const;
    this.status = { ...heading, message, reason, details, code };
  }
}

/** The Status of a request that was done. */
export const success = (rest: Pick<Status, "details" | "code">): Status => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Success",
  ...rest,
});
