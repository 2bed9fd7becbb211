import { clusterConfigJsonSchema } from "../../../lib/cluster-file/cluster-config-schema.ts";
import type { Json, JsonMap } from "./json.ts";
import type { Parameter, TextForm } from "./parameters.ts";
import { type Field, fieldSchema, withFields } from "./template-schema.ts";
import { wholeNumbers } from "./whole-numbers.ts";

/** The field of the clusters' files schema at a place. */
export function fieldAt(path: string): Field {
  if (path === "") return {};
  const found = path
    .split(".")
    .reduce<unknown>((at, key) => withFields.parse(at).properties[key], clusterConfigJsonSchema());
  return fieldSchema.parse(found);
}

/** A parameter as the template has it. */
export function declared(one: Parameter): JsonMap {
  const { kind, path, type, words, usual, says } = one;
  const field = fieldAt(path);
  return given({
    Type: type ?? (kind === "list" ? "CommaDelimitedList" : "String"),
    Description: says ?? field.description ?? never(`description of ${path}`),
    Default: usual,
    AllowedValues: words ?? field.enum,
    ...judgement(one, field),
  });
}

/**
 * The rule by which CloudFormation judges a text, or each item of a list. What has a type of AWS it
 * looks for in the account instead.
 */
function judgement(one: Parameter, field: Field): Readonly<Record<string, Json>> {
  const form = one.type === undefined ? formOf(one, field) : undefined;
  if (form === undefined) return {};
  const item = one.kind === "list" ? "a list with a comma between two items, and each item " : "";
  return {
    AllowedPattern: one.usual === "" ? `^$|${form.pattern}` : form.pattern,
    ConstraintDescription: `has to be ${item}${form.what}`,
  };
}

function formOf({ form, barred }: Parameter, field: Field): TextForm | undefined {
  if (form !== undefined) return form;
  const { minimum: least, maximum: most } = field;
  if (least !== undefined && most !== undefined)
    return { pattern: wholeNumbers(least, most), what: `a whole number from ${least} to ${most}` };
  const { pattern, patternErrorMessage: what = "" } = field.items ?? field;
  if (pattern === undefined) return undefined;
  if (barred === undefined) return { pattern, what };
  return {
    pattern: pattern.replace("^", () => `^(?!${barred.pattern})`),
    what: `${what}, ${barred.what}`,
  };
}

function never(what: string): never {
  throw new Error(`there is no ${what}`);
}

/** The known ones of some entries. */
const given = (entries: Readonly<Record<string, Json | undefined>>): JsonMap =>
  Object.fromEntries(
    Object.entries(entries).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
