import { badRequest } from "./refusals.ts";
import type { Resource } from "./resource.ts";

/** One requirement of a field selector. */
export interface FieldRequirement {
  readonly field: string;
  readonly equal: boolean;
  readonly value: string;
}

/** The fields that can select a resource besides name and namespace. */
const extraFields: Readonly<Record<string, readonly string[]>> = {
  nodes: ["spec.unschedulable"],
  pods: ["spec.nodeName", "status.phase"],
};

function assertSelectable({ plural, namespaced }: Resource, field: string): void {
  const known = ["metadata.name", ...(namespaced ? ["metadata.namespace"] : [])];
  if ([...known, ...(extraFields[plural] ?? [])].includes(field)) return;
  throw badRequest(`field label not supported: ${field}`);
}

/**
 * Reads the `fieldSelector` of a request; the function finds pods and nodes with it.
 *
 * Refuses a wrong selector in the API server's words.
 */
export function parseFieldSelector(resource: Resource, text: string): readonly FieldRequirement[] {
  const terms = text.split(",").filter((term) => term !== "");
  return terms.map((term) => {
    const [, field, sign, value] = /^(.*?)(!=|==|=)(.*)$/.exec(term) ?? [];
    if (field === undefined || value === undefined)
      throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
    assertSelectable(resource, field);
    return { field, equal: sign !== "!=", value };
  });
}
