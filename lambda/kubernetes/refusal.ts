/** An answer of the API server that is no success. */
export interface Refusal {
  readonly code: number;
  readonly body: string;
  /** The `Retry-After` header; empty when there is none. */
  readonly retryAfter: string;
}
