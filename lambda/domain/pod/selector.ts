import type { Labels } from "../labels.ts";

/** One requirement of a label selector, as Kubernetes writes it. */
export interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}

/** Which objects are meant, by their labels; `nothing` is a selector that was left out. */
export type Selector =
  | { readonly kind: "nothing" }
  | { readonly kind: "labels"; readonly requirements: readonly Requirement[] };

/** Whether labels meet a selector; one without requirements is met by all. */
export const selects = (selector: Selector, labels: Labels): boolean =>
  selector.kind === "labels" && selector.requirements.every((needed) => meets(labels, needed));

function meets(labels: Labels, { key, operator, values }: Requirement): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
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
