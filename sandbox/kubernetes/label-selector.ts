/** One requirement of a label selector. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** A label selector, as it stands in an object. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelRequirement[];
}

type ObjectLabels = Readonly<Record<string, string>>;

/**
 * Whether labels meet a requirement.
 *
 * An operator that Kubernetes does not know makes the selector invalid: it selects nothing.
 */
function meets(labels: ObjectLabels, { key, operator, values = [] }: LabelRequirement): boolean {
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
    default:
      return false;
  }
}

/**
 * Whether a selector selects an object with these labels.
 *
 * An empty selector selects every object, a missing one selects nothing.
 *
 * The sandbox does not use the function's own code for it, so that tests show a mistake there.
 */
export function selects(
  selector: LabelSelector | undefined,
  labels: ObjectLabels | undefined,
): boolean {
  if (selector === undefined) return false;
  const known = labels ?? {};
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => known[key] === value) &&
    (selector.matchExpressions ?? []).every((requirement) => meets(known, requirement))
  );
}
