interface LabelRequirement {
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

/** Whether labels meet a demand; an operator unknown to Kubernetes makes the selector invalid, and it picks nothing. */
function meets(labels: Labels, { key, operator, values = [] }: LabelRequirement): boolean {
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
 * Whether a selector picks an object with these labels: an empty one picks all, a missing one none.
 *
 * The sandbox's budgets need it; it is not the function's own reading, so that a mistake in that one shows.
 */
export function selects(selector: LabelSelector | undefined, labels: Labels | undefined): boolean {
  if (selector === undefined) return false;
  const known = labels ?? {};
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => known[key] === value) &&
    (selector.matchExpressions ?? []).every((requirement) => meets(known, requirement))
  );
}
