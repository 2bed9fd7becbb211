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

/** A manager, and which fields it has written. */
interface Writer {
  readonly manager: string;
  readonly time: string;
  readonly fields: readonly string[];
}

const count = "f:replicas";

/**
 * An object with who has written its count and its annotations, which is all that the sandbox remembers of its managers. A field
 * that changes goes from the manager that had it to the one that has written it.
 */
export function withFieldWriters(after: JsonObject, { before, manager, at }: Written): JsonObject {
  const [was, is] = [fieldsOf(before), fieldsOf(after)];
  const changed = [...new Set([...was.keys(), ...is.keys()])].filter(
    (field) => was.get(field) !== is.get(field),
  );
  if (changed.length === 0 || !isDeepStrictEqual(managersOf(after), managersOf(before)))
    return after;
  const others = writersOf(before).map((one) => ({
    ...one,
    fields: one.fields.filter((field) => !changed.includes(field)),
  }));
  const kept = others.find((one) => one.manager === manager)?.fields ?? [];
  const fields = [...kept, ...changed.filter((field) => is.has(field))];
  const writers = [
    ...others.filter((one) => one.manager !== manager),
    { manager, time: wireTime(at), fields },
  ].filter((one) => one.fields.length > 0);
  return { ...after, metadata: { ...metadataOf(after), managedFields: writers.map(entryOf) } };
}

const metadataOf = ({ metadata }: JsonObject): JsonObject => (isObject(metadata) ? metadata : {});

const managersOf = (object: JsonObject): JsonValue | undefined =>
  metadataOf(object)["managedFields"];

/** The fields whose writers are remembered, with their values. */
function fieldsOf(object: JsonObject): ReadonlyMap<string, JsonValue | undefined> {
  const { spec } = object;
  const { annotations } = metadataOf(object);
  const replicas = isObject(spec) ? spec["replicas"] : undefined;
  return new Map([
    ...(replicas === undefined ? [] : [[count, replicas] as const]),
    ...Object.entries(isObject(annotations) ? annotations : {}),
  ]);
}

function writersOf(object: JsonObject): readonly Writer[] {
  const managed = (managersOf(object) ?? []) as unknown as readonly Entry[];
  return managed.map(({ manager, time, fieldsV1 }) => {
    const annotations = Object.keys(fieldsV1["f:metadata"]?.["f:annotations"] ?? {});
    const fields = [
      ...Object.keys(fieldsV1["f:spec"] ?? {}),
      ...annotations.map((key) => key.slice("f:".length)),
    ];
    return { manager, time, fields };
  });
}

/** A manager as an object has it. */
type Entry = ReturnType<typeof entryOf>;

function entryOf({ manager, time, fields }: Writer) {
  const annotations = fields.filter((field) => field !== count);
  const keys = annotations.map((key) => [`f:${key}`, {}] as const);
  const fieldsV1: { [part: string]: JsonObject | undefined } = {
    ...(fields.includes(count) && { "f:spec": { [count]: {} } }),
    ...(keys.length > 0 && { "f:metadata": { "f:annotations": Object.fromEntries(keys) } }),
  };
  return { manager, operation: "Update", time, fieldsV1 };
}
