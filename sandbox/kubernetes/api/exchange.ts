import type { Cancel } from "../../timeline.ts";
import type { JsonValue } from "../json.ts";

/** A request to the API server, its path without the query. */
export interface KubeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The keys are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** Receives the lines of a watch. */
export interface Sink {
  write(chunk: string): void;
  end(): void;
}

/**
 * The answer to the caller: a response, a stream of lines, a broken connection, or nothing at all.
 */
export type KubeResponse =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  | {
      readonly kind: "stream";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      /** Starts the stream; the returned function stops it. */
      open(sink: Sink): Cancel;
    }
  | { readonly kind: "reset" }
  | { readonly kind: "hang" };

/** Builds a request from the parts that matter to it. */
export function kubeRequest(
  method: string,
  url: string,
  rest: { readonly headers?: KubeRequest["headers"]; readonly body?: unknown } = {},
): KubeRequest {
  const { pathname, searchParams } = new URL(url, "https://localhost");
  const { headers = {}, body = "" } = rest;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { method, path: pathname, query: searchParams, headers, body: text };
}

const escapes: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/** Writes JSON as Go does: on one line, with a few more characters escaped than JSON requires. */
export const encode = (value: JsonValue | object): string =>
  `${JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => escapes[character] ?? "")}\n`;
