/** A value of a template. */
export type Json = boolean | number | string | null | readonly Json[] | JsonMap;

/** An object of a template. */
export interface JsonMap {
  readonly [key: string]: Json;
}

/** Whether a value is an object, be it a function of CloudFormation or not. */
export const isMap = (value: Json | undefined): value is JsonMap =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a value is a function of CloudFormation, such as `Ref`. */
export const isCall = (value: Json | undefined): value is JsonMap =>
  isMap(value) && Object.keys(value).some((key) => key === "Ref" || key.startsWith("Fn::"));

/** Whether two values are the same. */
export const isSame = (one: Json | undefined, other: Json | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** A reference to a parameter or a resource. */
export const refTo = (name: string): JsonMap => ({ Ref: name });

/** The value of nothing. */
export const noValue = refTo("AWS::NoValue");

/** A value that depends on a condition. */
export const either = (condition: string, on: Json, off: Json): JsonMap => ({
  "Fn::If": [condition, on, off],
});

/** The parts of a text, which CloudFormation joins. */
export function partsOf(value: Json): readonly Json[] {
  const [separator, parts] = (isMap(value) && pairOf(value["Fn::Join"])) || [];
  return separator === "" && Array.isArray(parts) ? parts : [value];
}

const pairOf = (value: Json | undefined) => (Array.isArray(value) ? value : undefined);

export function textOf(parts: readonly Json[]): Json {
  const joined: Json[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (typeof part === "string" && typeof last === "string") joined.splice(-1, 1, last + part);
    else if (part !== "") joined.push(part);
  }
  const [only = ""] = joined;
  return joined.length < 2 ? only : { "Fn::Join": ["", joined] };
}
