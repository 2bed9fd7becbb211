import { badRequest } from "./refusals.ts";
import type { Resource } from "./resource.ts";

/** One demand of a field selector. */
export interface FieldRequirement {
  readonly field: string;
  readonly equal: boolean;
  readonly value: string;
}

/** The fields a resource can be selected by, beside name and namespace. */
const extraFields: Readonly<Record<string, readonly string[]>> = {
  pods: ["spec.nodeName", "status.phase"],
};

function assertSelectable(resource: Resource, field: string): void {
  const place = resource.namespaced || resource.selectable === "metadata-only";
  const known = ["metadata.name", ...(place ? ["metadata.namespace"] : [])];
  if ([...known, ...(extraFields[resource.plural] ?? [])].includes(field)) return;
  throw badRequest(
    resource.selectable === "known-labels"
      ? `field label not supported: ${field}`
      : `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );
}

/** Reads the `fieldSelector` of a request, by which the function finds pods and nodes; refuses in the API server's words. */
export function parseFieldSelector(resource: Resource, text: string): readonly FieldRequirement[] {
  const terms = text.split(",").filter((term) => term !== "");
  return terms.map((term) => {
    const [, field, sign, value] = /^(.*?)(!=|==|=)(.*)$/.exec(term) ?? [];
    if (field === undefined || value === undefined) {
      throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
    }
    assertSelectable(resource, field);
    return { field, equal: sign !== "!=", value };
  });
}
