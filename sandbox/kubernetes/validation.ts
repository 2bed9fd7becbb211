import { invalidValue, required } from "./field-causes.ts";
import { isObject, type Json, type JsonObject, textOf } from "./json.ts";
import { kindRules } from "./kind-rules.ts";
import type { StatusCause } from "./status.ts";

const namePart = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const objectName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const characters =
  "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const badNamePart = `name part must consist of ${characters} (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`;
const badLabelValue = `a valid label must be an empty string or consist of ${characters} (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`;
const badObjectName =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const mapOf = (value: Json | undefined): readonly (readonly [string, Json | undefined])[] =>
  isObject(value) ? Object.entries(value) : [];

const keyCauses = (field: string, map: Json | undefined): readonly StatusCause[] =>
  mapOf(map)
    .filter(([key]) => !namePart.test(key.split("/").at(-1) ?? ""))
    .map(([key]) => invalidValue(field, key, badNamePart));

const valueCauses = (labels: Json | undefined): readonly StatusCause[] =>
  mapOf(labels)
    .map(([, value]) => String(value))
    .filter((value) => !(labelValue.test(value) && value.length <= 63))
    .map((value) => invalidValue("metadata.labels", value, badLabelValue));

const finalizerCauses = (finalizers: Json | undefined): readonly StatusCause[] =>
  (Array.isArray(finalizers) ? finalizers : []).flatMap((finalizer: Json, index) =>
    textOf(finalizer).includes("/")
      ? []
      : [
          invalidValue(
            `metadata.finalizers[${index}]`,
            textOf(finalizer),
            "name is neither a standard finalizer name nor is it fully qualified",
          ),
        ],
  );

function nameCauses({ name, generateName }: JsonObject): readonly StatusCause[] {
  if (!(name || generateName)) {
    return [required("metadata.name", "Required value: name or generateName is required")];
  }
  if (!name || objectName.test(textOf(name))) return [];
  return [invalidValue("metadata.name", textOf(name), badObjectName)];
}

/** The rules that an object breaks, as causes of a refusal. */
export function causesAgainst(kind: string, object: JsonObject): readonly StatusCause[] {
  const { metadata } = object;
  const { labels, annotations, finalizers, ...rest } = isObject(metadata) ? metadata : {};
  return [
    ...nameCauses(rest),
    ...keyCauses("metadata.labels", labels),
    ...valueCauses(labels),
    ...keyCauses("metadata.annotations", annotations),
    ...finalizerCauses(finalizers),
    ...(kindRules[kind]?.(object) ?? []),
  ];
}
