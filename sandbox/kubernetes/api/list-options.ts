import { parseFieldSelector } from "../field-selector.ts";
import type { KubeObject } from "../kube-object.ts";
import { selects as hasLabels } from "../label-selector.ts";
import { parseLabelSelector } from "../parse-label-selector.ts";
import { badRequest, internal, invalid } from "../refusals.ts";
import { fieldsOf, type Resource } from "../resource.ts";
import type { RequestInfo } from "./request-info.ts";

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

function wholeNumber(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? "";
  if (!/^-?\d*$/.test(text)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  }
  return Number(text);
}

/** Reads a version; a bad one is an internal error for a watch and a bad request otherwise. */
export function versionOf(text: string, verb: string): number | undefined {
  if (text === "") return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const parsing = `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
  const why = `resourceVersion: Invalid value: ${JSON.stringify(text)}: ${parsing}`;
  throw verb === "watch" ? internal(why) : badRequest(`invalid resource version: ${why}`);
}

const matchWithoutVersion = () =>
  invalid({ kind: "ListOptions", group: "meta.k8s.io" }, undefined, [
    {
      reason: "FieldValueForbidden",
      message: "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided",
      field: "resourceVersionMatch",
    },
  ]);

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
  const resourceVersion = versionOf(query.get("resourceVersion") ?? "", info.verb);
  const initial = query.get("sendInitialEvents") !== null;
  if (match && resourceVersion === undefined && !initial) throw matchWithoutVersion();
  const limit = wholeNumber(query, "limit");
  return { ...selection(resource, info, query), limit, continueFrom, resourceVersion, match };
}
