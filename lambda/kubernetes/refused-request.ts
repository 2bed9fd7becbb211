/** What is thrown where the API server answered a request with a refusal. */
export class RefusedRequest extends Error {
  override readonly name = "RefusedRequest";
  readonly code: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: number, body: string, headers: Readonly<Record<string, string>>) {
    super(`the API server refused a request: HTTP ${code} ${body}`);
    this.code = code;
    this.body = body;
    this.headers = headers;
  }
}

/** An answer of the API server that is no success. */
export interface Refusal {
  readonly code: number;
  readonly body: string;
  /** The `Retry-After` header; empty when there is none. */
  readonly retryAfter: string;
}
