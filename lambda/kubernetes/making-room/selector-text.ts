import type { Requirement } from "../../drain/budget.ts";

/** A label selector as the API server reads it in a request; empty for one that selects everything. */
export const selectorText = (requirements: readonly Requirement[]): string =>
  requirements.map(requirementText).join();

function requirementText({ key, operator, values }: Requirement): string {
  if (operator === "Exists") return key;
  if (operator === "DoesNotExist") return `!${key}`;
  return `${key} ${operator.toLowerCase()} (${values.join()})`;
}
