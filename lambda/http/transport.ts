import { LongAnswer } from "./long-answer.ts";

/** A request, ready for any version of HTTP; header names are in lower case. */
export interface TransportRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
}

/** The beginning of an answer; the caller must read the body to its end, or stop reading. */
export interface TransportResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** An open connection, or several, to one server. */
export interface Transport {
  /** Whether it may take another request. */
  readonly trusted: boolean;
  request(request: TransportRequest): Promise<TransportResponse>;
  /** Takes no further requests; those under way are finished. */
  retire(): void;
  /** Cuts off everything at once. */
  close(): void;
}

/** The time in milliseconds for which an unused connection stays trusted: a function may have been frozen meanwhile. */
export const trustedFor = 30_000;

/** Headers in the form that client-node wants: one text for each name. */
export function plainHeaders(
  headers: Readonly<Record<string, number | string | readonly string[] | undefined>>,
): Record<string, string> {
  const named = Object.entries(headers).filter(([name]) => !name.startsWith(":"));
  return Object.fromEntries(named.map(([name, value]) => [name, String(value)]));
}

/** Reads a body to its end; no further than so many bytes, and throws where there are more. */
export async function wholeBody(
  body: AsyncIterable<Uint8Array>,
  most = Number.POSITIVE_INFINITY,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > most) throw new LongAnswer(most);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
