import type { KubeObject } from "../kube-object.ts";
import { selects as hasLabels, type LabelSelector } from "../label-selector.ts";
import { badRequest } from "../refusals.ts";
import { fieldsOf, type Resource } from "../resource.ts";
import type { RequestInfo } from "./request-info.ts";

const longestValue = 63;

/**
 * Reads the `labelSelector` of a request, in the one form that the function sends: `KEY in (VALUE,…)`.
 *
 * Refuses a value that no label can have in the API server's words.
 */
function parseLabelSelector(text: string): LabelSelector {
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

/** One requirement of a field selector. */
interface FieldRequirement {
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
function parseFieldSelector(resource: Resource, text: string): readonly FieldRequirement[] {
  const terms = text.split(",").filter((term) => term !== "");
  return terms.map((term) => {
    const [, field, sign, value] = /^(.*?)(!=|==|=)(.*)$/.exec(term) ?? [];
    if (field === undefined || value === undefined)
      throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
    assertSelectable(resource, field);
    return { field, equal: sign !== "!=", value };
  });
}

/** What a list or a watch shows. */
export interface ListOptions {
  /** Whether the selectors match an object. */
  readonly selects: (object: KubeObject) => boolean;
  readonly selective: boolean;
  readonly limit: number;
  readonly continueFrom: string;
  /** The requested version; `undefined` is the latest, 0 is any version that the server has. */
  readonly resourceVersion: number | undefined;
  readonly match: string;
}

/** Reads a version; every caller sends one that it was given. */
export const versionOf = (text: string): number | undefined =>
  text === "" ? undefined : Number(text);

function selection(resource: Resource, { namespace }: RequestInfo, query: URLSearchParams) {
  const labelSelector = query.get("labelSelector") ?? "";
  const labels = parseLabelSelector(labelSelector);
  const fields = parseFieldSelector(resource, query.get("fieldSelector") ?? "");
  const selects = (object: KubeObject): boolean => {
    const values = fieldsOf(resource, object);
    return (
      (namespace === "" || !resource.namespaced || object.metadata.namespace === namespace) &&
      fields.every(({ field, equal, value }) => (values[field] === value) === equal) &&
      hasLabels(labels, object.metadata.labels)
    );
  };
  return { selects, selective: fields.length > 0 || labelSelector !== "" };
}

/** Reads the options of a list or a watch. */
export function listOptions(
  resource: Resource,
  info: RequestInfo,
  query: URLSearchParams,
): ListOptions {
  const continueFrom = query.get("continue") ?? "";
  const match = query.get("resourceVersionMatch") ?? "";
  const resourceVersion = versionOf(query.get("resourceVersion") ?? "");
  const limit = Number(query.get("limit") ?? "");
  return { ...selection(resource, info, query), limit, continueFrom, resourceVersion, match };
}
