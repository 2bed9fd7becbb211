import { isObject } from "../json.ts";
import { parseJson } from "../parse-json.ts";
import { badRequest } from "../refusals.ts";

/** Where a list continues, and at which version; -1 means the latest. */
export interface ContinueToken {
  readonly revision: number;
  /** The first key of the next page. */
  readonly start: string;
}

const version = "meta.k8s.io/v1";

/** Encodes a continue token as the API server does. */
export const writeToken = ({ revision, start }: ContinueToken): string =>
  Buffer.from(JSON.stringify({ v: version, rv: revision, start })).toString("base64url");

const unreadable = (why: string) =>
  badRequest(`invalid continue token: continue key is not valid: ${why}`);

/** Decodes a continue token. */
export function readToken(text: string): ContinueToken {
  const parsed = parseJson(Buffer.from(text, "base64url").toString());
  if (parsed.problem !== undefined) throw unreadable(parsed.problem);
  if (!isObject(parsed.value)) throw unreadable("json: cannot unmarshal");
  const { rv, start } = parsed.value;
  if (typeof rv !== "number" || rv === 0) {
    throw unreadable(`incorrect encoded start resourceVersion (version ${version})`);
  }
  if (typeof start !== "string" || start === "") {
    throw unreadable(`encoded start key empty (version ${version})`);
  }
  return { revision: rv, start: `/${start.replace(/^\//, "")}` };
}
