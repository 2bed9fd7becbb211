import { isObject, type Json } from "./json.ts";
import { mergePatch } from "./merge-patch.ts";
import { parseJson } from "./parse-json.ts";
import { badRequest } from "./refusals.ts";
import { ApiError } from "./status.ts";

const unsupported = (): ApiError =>
  new ApiError({
    code: 415,
    message: "415: Unsupported Media Type",
    reason: "UnsupportedMediaType",
    details: {},
  });

/** The name that Go gives the type of a JSON value. */
const goName = (value: Json): string => {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
};

function readPatch(body: string): Json {
  const parsed = parseJson(body);
  if (parsed.problem !== undefined) throw badRequest(`error decoding patch: ${parsed.problem}`);
  if (isObject(parsed.value)) return parsed.value;
  const type = "map[string]interface {}";
  const why = `json: cannot unmarshal ${goName(parsed.value)} into Go value of type ${type}`;
  throw badRequest(`error decoding patch: ${why}`);
}

/**
 * Applies a merge patch; the function marks nodes with them.
 *
 * Refuses every other kind as the API server refuses one that it does not know.
 */
export function applyPatch(mediaType: string, target: Json, body: string): Json {
  if (mediaType !== "application/merge-patch+json") throw unsupported();
  return mergePatch(target, readPatch(body));
}
