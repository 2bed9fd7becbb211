import { isDeepStrictEqual } from "node:util";
import type { Instant } from "../../lambda/base/time.ts";
import { isObject, type JsonObject, type JsonValue } from "./json.ts";
import { wireTime } from "./kube-time.ts";

/** A change of an object, and who has written it. */
interface Written {
  readonly before: JsonObject;
  readonly manager: string;
  readonly at: Instant;
}

/**
 * An object with who has written its count, which is all that the sandbox remembers of its managers. Another count takes the
 * field from the manager that had it.
 */
export function withCountWriter(after: JsonObject, { before, manager, at }: Written): JsonObject {
  if (
    countOf(after) === countOf(before) ||
    !isDeepStrictEqual(managersOf(after), managersOf(before))
  )
    return after;
  const fieldsV1 = { "f:spec": { "f:replicas": {} } };
  const writer = { manager, operation: "Update", time: wireTime(at), fieldsV1 };
  const metadata = isObject(after["metadata"]) ? after["metadata"] : {};
  return { ...after, metadata: { ...metadata, managedFields: [writer] } };
}

const countOf = ({ spec }: JsonObject): JsonValue | undefined =>
  isObject(spec) ? spec["replicas"] : undefined;

const managersOf = ({ metadata }: JsonObject): JsonValue | undefined =>
  isObject(metadata) ? metadata["managedFields"] : undefined;
