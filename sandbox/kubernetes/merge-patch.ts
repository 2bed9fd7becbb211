import { isObject, type Json } from "./json.ts";

/**
 * Applies a JSON merge patch: null removes, lists are replaced (RFC 7386).
 *
 * The function patches nodes with merge patches. The rule is too short to need a package.
 */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result: Record<string, Json | undefined> = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null || value === undefined) delete result[name];
    else result[name] = mergePatch(result[name], value);
  }
  return result;
}
