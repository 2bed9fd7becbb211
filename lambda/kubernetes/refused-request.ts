import { tryJson } from "../base/try-json.ts";

/** Thrown where the API server refuses a request. */
export class RefusedRequest extends Error {
  override readonly name = "RefusedRequest";
  readonly code: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: number, body: string, headers: Readonly<Record<string, string>>) {
    // Lambda logs the message of an error that ends an invocation, and of its causes.
    super(`the API server refused a request: HTTP ${code} ${oneLine(body)}`);
    this.code = code;
    this.body = body;
    this.headers = headers;
  }
}

/** An answer of the API server that is no success. */
export interface RefusedAnswer {
  readonly code: number;
  readonly body: string;
  /** The `Retry-After` header; empty when there is none. */
  readonly retryAfter: string;
}

interface RefusalCause {
  /** For machines, such as `DisruptionBudget`. */
  readonly reason: string;
  /** For people. */
  readonly message: string;
}

/** The Status of a refusal; its fields are empty where the API server leaves them out. */
export interface RefusalStatus {
  readonly message: string;
  readonly causes: readonly RefusalCause[];
  /** The kind of the object that the refusal is about. */
  readonly kind: string;
  /** The seconds to wait before the next try; 0 when the server does not say. */
  readonly retryAfterSeconds: number;
}

// Kubernetes' own messages are shorter; those of webhooks and proxies may have any length.
const longestMessage = 1000;

/** A text on one line, cut when it is too long. */
const oneLine = (text: string): string => text.trim().replace(/\s+/g, " ").slice(0, longestMessage);

const nothing = { kind: "", retryAfterSeconds: 0, causes: [] };

type StatusFields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): StatusFields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? Object(value) : {};

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const numberOf = (value: unknown): number => (Number.isFinite(value) ? Number(value) : 0);

/** Whether a body is a Status: the API server's own answer, and not that of something before it. */
export function isStatus(body: string): boolean {
  const { kind } = fieldsOf(tryJson(body));
  return kind === "Status";
}

/** Reads the body of a refusal; a body that is no Status, such as that of throttling, is read as a message. */
export function readStatus(body: string): RefusalStatus {
  // Checked by hand, as a watch's events are: schemas would be built at every cold start, for refusals that may never come.
  const { kind, message, details } = fieldsOf(tryJson(body));
  if (kind !== "Status") return { message: oneLine(body), ...nothing };
  const { causes, kind: about, retryAfterSeconds } = fieldsOf(details);
  return {
    message: oneLine(textOf(message)),
    causes: causesIn(causes),
    kind: textOf(about),
    retryAfterSeconds: numberOf(retryAfterSeconds),
  };
}

const causesIn = (causes: unknown): readonly RefusalCause[] =>
  (Array.isArray(causes) ? causes.map(fieldsOf) : []).map(({ reason, message }) => ({
    reason: textOf(reason),
    message: oneLine(textOf(message)),
  }));

/** The code of an answer. The code of a failed Status in the body counts, even if the HTTP status says success. */
export function codeOf(heading: number, body: string): number {
  if (heading < 200 || heading > 299) return heading;
  if (!body.includes('"Failure"')) return heading; // saves parsing every other answer
  const { kind, status, code } = fieldsOf(tryJson(body));
  if (kind !== "Status" || status !== "Failure") return heading;
  return Number.isSafeInteger(code) && numberOf(code) >= 300 ? numberOf(code) : 500;
}

/** Whether admission has refused a request, by a webhook or by a ValidatingAdmissionPolicy. */
export const isOfAdmission = ({ message }: Pick<RefusalStatus, "message">): boolean =>
  /^admission webhook ".*" denied the request|ValidatingAdmissionPolicy '.*' denied request/.test(
    message,
  );

/** Whether a webhook has given the API server no answer that it understands. */
export const isOfDeafWebhook = ({ message }: Pick<RefusalStatus, "message">): boolean =>
  message.startsWith("Internal error occurred: failed calling webhook");

// By these the API server speaks of the caller, the object, or its own load.
const ofItsOwn: readonly number[] = [401, 404, 409, 429];

/** The code of a refusal. Admission may refuse with any, and means no more than 403 by those that the API server has for something else. */
export const refusalCode = (status: number, body: string): number =>
  ofItsOwn.includes(status) && isOfAdmission(readStatus(body)) ? 403 : status;
