import { textOf } from "../json.ts";
import { readBody } from "./request-body.ts";

/** Where a list continues, and at which version; -1 means the latest. */
export interface ContinueToken {
  readonly revision: number;
  /** The first key of the next page. */
  readonly start: string;
}

/** Encodes a continue token as the API server does. */
export const writeToken = ({ revision, start }: ContinueToken): string =>
  Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start })).toString("base64url");

/** Decodes a continue token. */
export function readToken(text: string): ContinueToken {
  const { rv, start } = readBody(Buffer.from(text, "base64url").toString());
  return { revision: Number(rv), start: `/${textOf(start).replace(/^\//, "")}` };
}
