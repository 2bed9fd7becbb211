import { readBody } from "./api/request-body.ts";
import { isObject, type Json, type JsonObject } from "./json.ts";
import { ApiError } from "./status.ts";

const unsupported = (): ApiError =>
  new ApiError({
    code: 415,
    message: "415: Unsupported Media Type",
    reason: "UnsupportedMediaType",
    details: {},
  });

/** A JSON merge patch: null removes, lists are replaced (RFC 7386). */
function merged(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result: Record<string, Json | undefined> = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null || value === undefined) delete result[name];
    else result[name] = merged(result[name], value);
  }
  return result;
}

/**
 * Applies a merge patch; the function marks nodes with them.
 *
 * Refuses every other kind as the API server refuses one that it does not know.
 */
export function applyPatch(mediaType: string, target: JsonObject, body: string): Json {
  if (mediaType !== "application/merge-patch+json") throw unsupported();
  return merged(target, readBody(body));
}
