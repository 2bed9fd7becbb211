import {
  isMap,
  type Json,
  type JsonMap,
  partsOf,
  textOf,
} from "../../../tools/generate/template/json.ts";

/** The values of parameters, as whoever launches the template gives them: a list with commas. */
export type Values = Readonly<Record<string, string>>;

type Section = Readonly<Record<string, JsonMap>>;

/** A template with parameters and conditions. */
export interface Conditional {
  readonly Parameters: Section;
  readonly Conditions: Section;
  readonly Resources: Section;
  readonly Outputs: Section;
}

/** What CloudFormation makes of a template before it creates anything: parameters and conditions are gone. */
export function evaluated(template: Conditional, values: Values, region: string) {
  const evaluation = new Evaluation(template, values, region);
  const section = (all: Section) =>
    Object.fromEntries(
      Object.entries(all)
        .filter(([, { Condition = true }]) => evaluation.holds(Condition))
        .map(([id, { Condition: _, ...its }]) => [id, evaluation.read(its) as JsonMap]),
    );
  return { Resources: section(template.Resources), Outputs: section(template.Outputs) };
}

/**
 * What CloudFormation says to values that a parameter refuses. A pattern has to match the whole of a text, and of a list each item.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/parameters-section-structure.html
 */
export const misfits = ({ Parameters }: Conditional, values: Values): readonly string[] =>
  Object.entries(values).flatMap(([name, value]) => {
    const {
      Type,
      AllowedPattern,
      AllowedValues,
      ConstraintDescription = "",
    } = Parameters[name] ?? {};
    const items = Type === "CommaDelimitedList" ? value.split(",") : [value];
    const fits = (item: string) =>
      (typeof AllowedPattern !== "string" || new RegExp(`^(?:${AllowedPattern})$`).test(item)) &&
      (AllowedValues === undefined || listIn(AllowedValues).includes(item));
    return items.every(fits) ? [] : [`Parameter ${name} ${ConstraintDescription}`.trim()];
  });

/** What CloudFormation says to parameters that a rule of the template refuses. */
export function refusals(template: Conditional, rules: Section, values: Values) {
  const evaluation = new Evaluation(template, values, "eu-west-1");
  return Object.values(rules).flatMap(({ RuleCondition = true, Assertions = [] }) =>
    listIn(evaluation.holds(RuleCondition) ? Assertions : []).flatMap((one) =>
      isMap(one) && !evaluation.holds(one["Assert"] ?? "") ? [one["AssertDescription"]] : [],
    ),
  );
}

const listIn = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

class Evaluation {
  readonly #template: Conditional;
  readonly #values: Values;
  readonly #region: string;
  readonly #calls: Readonly<Record<string, (operand: Json) => Json | undefined>> = {
    Ref: (name) => this.#ref(name),
    "Fn::If": (operand) => {
      const [condition = "", on = null, off = null] = listIn(operand);
      return this.read(this.holds(condition) ? on : off);
    },
    "Fn::Join": (operand) => {
      const [by = "", parts = []] = listIn(operand);
      return joined(by, listIn(this.read(parts)));
    },
    "Fn::Split": (operand) => {
      const [by = "", text = ""] = listIn(operand);
      return split(by, this.read(text) ?? "");
    },
  };

  constructor(template: Conditional, values: Values, region: string) {
    this.#template = template;
    this.#values = values;
    this.#region = region;
  }

  holds(value: Json): boolean {
    if (value === true) return true;
    if (typeof value === "string") return this.holds(this.#template.Conditions[value] ?? "");
    const [[call = "", operands = null] = []] = Object.entries(isMap(value) ? value : {});
    const list = listIn(operands);
    switch (call) {
      case "Condition":
        return this.holds(operands);
      case "Fn::Not":
        return !list.some((one) => this.holds(one));
      case "Fn::And":
        return list.every((one) => this.holds(one));
      case "Fn::Or":
        return list.some((one) => this.holds(one));
      case "Fn::Contains":
        return listIn(this.read(list[0] ?? [])).some((one) => one === list[1]);
      case "Fn::EachMemberEquals":
        return listIn(this.read(list[0] ?? [])).every((one) => one === list[1]);
      case "Fn::Equals":
        return new Set(list.map((one) => this.read(one))).size === 1;
      default:
        throw new Error(`${JSON.stringify(value)} is no condition`);
    }
  }

  /** A value with no parameter and no condition in it; `undefined` for none. */
  read(value: Json): Json | undefined {
    if (Array.isArray(value)) return value.flatMap((one) => this.#known(one));
    if (!isMap(value)) return value;
    const [[call = "", operand = null] = [], ...others] = Object.entries(value);
    const known = others.length === 0 ? this.#calls[call] : undefined;
    if (known !== undefined) return known(operand);
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, one]) => this.#known(one).map((its) => [key, its])),
    ) as JsonMap;
  }

  #known(value: Json): readonly Json[] {
    const its = this.read(value);
    return its === undefined ? [] : [its];
  }

  #ref(name: Json): Json | undefined {
    if (name === "AWS::NoValue") return undefined;
    if (name === "AWS::Region") return this.#region;
    if (typeof name !== "string") return { Ref: name };
    const its = this.#template.Parameters[name];
    if (its === undefined) return { Ref: name };
    const value = this.#values[name] ?? its["Default"];
    if (typeof value !== "string") throw new Error(["no value of the parameter", name].join(" "));
    return /^CommaDelimitedList$|^List</.test(JSON.stringify(its["Type"]).slice(1, -1))
      ? value.split(",")
      : value;
  }
}

/** Joins what is known before the deployment. */
function joined(by: Json, parts: readonly Json[]): Json {
  if (by === "") return textOf(parts.flatMap(partsOf));
  const between = parts.flatMap((part, at) => (at === 0 ? [part] : [by, part]));
  return textOf(between.flatMap(partsOf));
}

/** Splits a text, of which parts may be known only at the deployment. */
function split(by: Json, text: Json): Json {
  const lists: Json[][] = [[]];
  for (const part of partsOf(text)) {
    const [first = part, ...rest] =
      typeof part === "string" && typeof by === "string" ? part.split(by) : [part];
    lists.at(-1)?.push(first);
    for (const one of rest) lists.push([one]);
  }
  return lists.map(textOf);
}
