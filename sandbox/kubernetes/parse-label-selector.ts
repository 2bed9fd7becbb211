import type { LabelSelector } from "./label-selector.ts";
import { badRequest } from "./refusals.ts";

const longestValue = 63;

/**
 * Reads the `labelSelector` of a request, in the one form that the function sends: `KEY in (VALUE,…)`.
 *
 * Refuses a value that no label can have in the API server's words.
 */
export function parseLabelSelector(text: string): LabelSelector {
  if (text === "") return {};
  const [, key, list] = /^([^\s!=,()]+) in \(([^()]*)\)$/.exec(text) ?? [];
  if (key === undefined || list === undefined)
    throw badRequest("the sandbox reads no label selectors but KEY in (VALUE,…)");
  const values = list.split(",").toSorted();
  const long = values.findIndex((value) => value.length > longestValue);
  if (long >= 0)
    throw badRequest(
      `unable to parse requirement: values[${long}][${key}]: Invalid value: ${JSON.stringify(values[long])}: must be no more than 63 bytes`,
    );
  return { matchExpressions: [{ key, operator: "In", values }] };
}
