/** One demand of a label selector. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** A label selector, as objects hold it. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelRequirement[];
}

type Labels = Readonly<Record<string, string>>;

const compared = (value: string | undefined, sign: (a: number, b: number) => boolean) => {
  return ([limit = ""]: readonly string[]): boolean =>
    value !== undefined && sign(Number(value), Number(limit));
};

/** Whether labels meet a demand; an operator unknown to Kubernetes makes the selector invalid. */
export function meets(labels: Labels, requirement: LabelRequirement): boolean | "invalid" {
  const { key, operator, values = [] } = requirement;
  const value = labels[key];
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return compared(value, (a, b) => a > b)(values);
    case "Lt":
      return compared(value, (a, b) => a < b)(values);
    default:
      return "invalid";
  }
}

/** Whether the requirements are met, all of them. */
export const meetsAll = (labels: Labels, requirements: readonly LabelRequirement[]): boolean =>
  requirements.every((requirement) => meets(labels, requirement) === true);

/** Whether a selector picks an object with these labels: an empty one picks all, a missing one none. */
export function selects(selector: LabelSelector | undefined, labels: Labels | undefined): boolean {
  if (selector === undefined) return false;
  const equal = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({
    key,
    operator: "In",
    values: [value],
  }));
  return meetsAll(labels ?? {}, [...equal, ...(selector.matchExpressions ?? [])]);
}
