import { isMap, isSame, type Json } from "../../../tools/generate/template/json.ts";

const aFunction = "(Function|Deployer|onEvent)[0-9A-F]{8}";

/** Whether a resource compares code with the template, which a deployment by CDK does not have. */
export const isCheck = (id: string): boolean =>
  new RegExp(`^CodePublisher|${aFunction}(Alias|Published|Version)$`).test(id);

/** A value that names functions in one way: by no ARN, no alias and no version, as often as they are named. */
export function calledAlike(value: Json): Json {
  if (Array.isArray(value)) return eachOnce(value.map(calledAlike));
  if (!isMap(value)) return value === "$LATEST" ? "checked" : value;
  const called = calledIn(value);
  if (called !== undefined) return { Ref: called };
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, calledAlike(one)]));
}

/** The id of the function that a reference names. */
function calledIn(value: Json): string | undefined {
  const named = new RegExp(
    `^{"(?:Ref":|Fn::GetAtt":\\[)"(\\w*${aFunction})(?:Alias)?"(?:,"Arn"])?}$`,
  );
  const text = JSON.stringify(value).replace(
    /^{"Fn::Join":\["",\[(.+),":(?:\*|checked)"\]\]}$/,
    "$1",
  );
  return named.exec(text)?.[1];
}

const eachOnce = (all: readonly Json[]): readonly Json[] =>
  all.filter((one, at) => all.findIndex((other) => isSame(one, other)) === at);
