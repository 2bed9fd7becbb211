import { isObject, type JsonObject, type JsonValue } from "../json.ts";
import { badRequest } from "../refusals.ts";

/** Reads the object in a request's body. */
export function readBody(body: string): JsonObject {
  try {
    const value: unknown = JSON.parse(body);
    if (isObject(value as JsonValue)) return value as JsonObject;
  } catch {
    // Nobody sends JSON that is broken; the words of the real server are not imitated.
  }
  throw badRequest(`the sandbox cannot read this as an object: ${body}`);
}

/** The metadata of an object in a request's body. */
export const metadataOf = ({ metadata }: JsonObject): JsonObject =>
  isObject(metadata) ? metadata : {};
