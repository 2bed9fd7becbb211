import { parseFieldSelector } from "../field-selector.ts";
import type { KubeObject } from "../kube-object.ts";
import { selects as hasLabels } from "../label-selector.ts";
import { parseLabelSelector } from "../parse-label-selector.ts";
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
