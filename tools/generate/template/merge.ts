import {
  either,
  isCall,
  isMap,
  isSame,
  type Json,
  type JsonMap,
  noValue,
  partsOf,
  textOf,
} from "./json.ts";

/** The resources or the outputs of a template, by their ids. */
export type Entries = Readonly<Record<string, JsonMap>>;

/** A template, whose entries may have conditions. */
export interface TemplateParts {
  readonly Conditions: Entries;
  readonly Resources: Entries;
  readonly Outputs: Entries;
}

/** Makes one template of two: what they have in common, and the rest by a condition. */
export function merged(condition: string, on: TemplateParts, off: TemplateParts): TemplateParts {
  const made: Record<string, JsonMap> = { ...on.Conditions, ...off.Conditions };
  const entries = (kind: "Outputs" | "Resources"): Entries =>
    Object.fromEntries(
      keysOf(on[kind], off[kind]).map((id) => [
        id,
        mergedEntry(condition, { on: on[kind][id], off: off[kind][id] }, made),
      ]),
    );
  const [Resources, Outputs] = [entries("Resources"), entries("Outputs")];
  return { Conditions: made, Resources, Outputs };
}

type Made = Record<string, JsonMap>;
type Sides = { readonly on: JsonMap | undefined; readonly off: JsonMap | undefined };

function mergedEntry(condition: string, { on, off }: Sides, made: Made): JsonMap {
  if (on === undefined) return given(off ?? {}, negated(condition, made), made);
  if (off === undefined) return given(on, condition, made);
  const [one, other] = [conditionOf(on), conditionOf(off)];
  const both = mergedMaps(condition, on, off);
  return one === other ? both : { ...both, Condition: chosen(condition, { one, other }, made) };
}

const conditionOf = ({ Condition: its }: JsonMap): string | undefined =>
  typeof its === "string" ? its : undefined;

/** A condition that is one where this condition holds, and another where it does not; without any it always holds. */
function chosen(
  condition: string,
  { one, other }: { readonly one: string | undefined; readonly other: string | undefined },
  made: Made,
): string {
  const and = (first: string, second: string | undefined): Json =>
    second === undefined
      ? { Condition: first }
      : { "Fn::And": [{ Condition: first }, { Condition: second }] };
  const name = `If${condition}Then${one ?? "Always"}Else${other ?? "Always"}`;
  made[name] = { "Fn::Or": [and(condition, one), and(negated(condition, made), other)] };
  return name;
}

/** An entry that there is only under a condition, and perhaps under another one as well. */
function given(entry: JsonMap, condition: string, made: Made): JsonMap {
  const other = conditionOf(entry);
  if (other === undefined) return { ...entry, Condition: condition };
  const name = [condition, other].join("And");
  made[name] = { "Fn::And": [{ Condition: condition }, { Condition: other }] };
  return { ...entry, Condition: name };
}

function negated(condition: string, made: Made): string {
  const name = `Not${condition}`;
  made[name] = { "Fn::Not": [{ Condition: condition }] };
  return name;
}

const keysOf = (on: object, off: object) => [...new Set([...Object.keys(on), ...Object.keys(off)])];

function mergedMaps(condition: string, on: JsonMap, off: JsonMap): JsonMap {
  return Object.fromEntries(
    keysOf(on, off).map((key) => [key, mergedValue(condition, on[key], off[key])]),
  );
}

function mergedValue(condition: string, on: Json = noValue, off: Json = noValue): Json {
  if (isSame(on, off)) return on;
  if (Array.isArray(on) && Array.isArray(off)) return mergedLists(condition, on, off);
  if (isText(on) && isText(off)) return mergedTexts(condition, partsOf(on), partsOf(off));
  if (isMap(on) && isMap(off) && !isCall(on) && !isCall(off)) return mergedMaps(condition, on, off);
  return either(condition, on, off);
}

const isText = (value: Json): boolean => typeof value === "string" || partsOf(value)[0] !== value;

/**
 * Merges two lists: common items stand once, and the others stand by the condition, each in its
 * order.
 */
function mergedLists(condition: string, on: readonly Json[], off: readonly Json[]): Json {
  const all: Json[] = [];
  const rest = [...off];
  for (const item of on) {
    const at = rest.findIndex((one) => isSame(one, item));
    for (const one of rest.splice(0, at)) all.push(either(condition, noValue, one));
    all.push(at < 0 ? either(condition, item, noValue) : item);
    if (at >= 0) rest.shift();
  }
  return [...all, ...rest.map((one) => either(condition, noValue, one))];
}

/** Texts keep what they begin and end with; two short ones stay whole, for readers of the template. */
function mergedTexts(condition: string, on: readonly Json[], off: readonly Json[]): Json {
  if (on.length === 1 && off.length === 1) return either(condition, textOf(on), textOf(off));
  let from = 0;
  while (from < Math.min(on.length, off.length) && isSame(on[from], off[from])) from += 1;
  let end = 0;
  const most = Math.min(on.length, off.length) - from;
  while (end < most && isSame(on.at(-1 - end), off.at(-1 - end))) end += 1;
  const middle = (parts: readonly Json[]) => textOf(parts.slice(from, parts.length - end));
  const tail = on.slice(on.length - end);
  return textOf([...on.slice(0, from), either(condition, middle(on), middle(off)), ...tail]);
}
