import { isObject, type Json } from "./json.ts";
import { jsonPatch } from "./json-patch.ts";
import { mergePatch } from "./merge-patch.ts";
import { parseJson } from "./parse-json.ts";
import { badRequest } from "./refusals.ts";
import { ApiError } from "./status.ts";
import { strategicMergePatch } from "./strategic-merge-patch.ts";

const unsupported = (): ApiError =>
  new ApiError({
    code: 415,
    message: "415: Unsupported Media Type",
    reason: "UnsupportedMediaType",
    details: {},
  });

/** The name Go gives a kind of JSON value. */
const goName = (value: Json): string => {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
};

function wrongShape(value: Json, wanted: string): ApiError {
  const why = `json: cannot unmarshal ${goName(value)} into Go value of type ${wanted}`;
  return badRequest(`error decoding patch: ${why}`);
}

function readPatch(body: string): Json {
  const parsed = parseJson(body);
  if (parsed.problem !== undefined) throw badRequest(`error decoding patch: ${parsed.problem}`);
  return parsed.value;
}

type Patching = (target: Json, body: string) => Json;

const patchings: Readonly<Record<string, Patching>> = {
  "application/json-patch+json": (target, body) => {
    const patch = readPatch(body);
    if (!Array.isArray(patch)) throw wrongShape(patch, "[]handlers.jsonPatchOp");
    return jsonPatch(target, patch);
  },
  "application/merge-patch+json": (target, body) => {
    const patch = readPatch(body);
    if (!isObject(patch)) throw wrongShape(patch, "map[string]interface {}");
    return mergePatch(target, patch);
  },
  "application/strategic-merge-patch+json": (target, body) => {
    const parsed = parseJson(body);
    if (parsed.problem !== undefined) throw badRequest(parsed.problem);
    if (!isObject(parsed.value)) throw wrongShape(parsed.value, "map[string]interface {}");
    return strategicMergePatch(target, parsed.value);
  },
};

/** Applies a patch of any kind the API server takes, save server-side apply. */
export function applyPatch(mediaType: string, target: Json, body: string): Json {
  const patching = patchings[mediaType];
  if (patching === undefined) throw unsupported();
  return patching(target, body);
}
