import type { KubeObject } from "../kube-object.ts";
import { type LabelRequirement, selects } from "../label-selector.ts";
import { badRequest } from "../refusals.ts";
import type { FieldReader, Resource } from "../resource.ts";
import type { RequestInfo } from "./request-info.ts";

type Selects = (object: KubeObject) => boolean;

const longestValue = 63;

/** Reads the `labelSelector` of a request, in the forms that the function sends: `KEY in (VALUE,…)`, `KEY notin (VALUE,…)`, `KEY`, `!KEY`, or several of them. */
function byLabels(text: string): Selects {
  // A comma in parentheses is between values.
  const terms = text.split(/,(?![^(]*\))/).filter((term) => term !== "");
  const matchExpressions = terms.map(requirementOf);
  return ({ metadata }) => selects({ matchExpressions }, metadata.labels);
}

const presence = /^(!?)([^\s!=,()]+)$/;
const membership = /^([^\s!=,()]+) (in|notin) \(([^()]*)\)$/;

function requirementOf(text: string): LabelRequirement {
  const [, not, key] = presence.exec(text) ?? [];
  if (key === undefined) return setRequirementOf(text);
  return { key, operator: not === "!" ? "DoesNotExist" : "Exists" };
}

function setRequirementOf(text: string): LabelRequirement {
  const [, key, sign, list] = membership.exec(text) ?? [];
  if (key === undefined || list === undefined)
    throw badRequest(
      "the sandbox reads no label selectors but KEY in (VALUE,…), KEY notin (VALUE,…), KEY and !KEY",
    );
  const values = list.split(",");
  if (values.some((value) => value.length > longestValue))
    throw badRequest(`unable to parse requirement: values must be no more than 63 bytes: ${list}`);
  return { key, operator: sign === "in" ? "In" : "NotIn", values };
}

const everywhere: Readonly<Record<string, FieldReader<KubeObject>>> = {
  "metadata.name": ({ metadata }) => metadata.name,
  "metadata.namespace": ({ metadata }) => metadata.namespace ?? "",
};

/**
 * Reads the `fieldSelector` of a request; the function finds pods and nodes with it.
 *
 * Refuses a field by which nothing can be selected in the API server's words.
 */
function byFields(resource: Resource, text: string): Selects {
  const readers = { ...everywhere, ...resource.fields };
  const terms = text.split(",").filter((term) => term !== "");
  const all = terms.map((term): Selects => {
    const [, field = "", sign, value] = /^(.*?)(!=|==|=)(.*)$/.exec(term) ?? [];
    const read = readers[field];
    if (read === undefined) throw badRequest(`field label not supported: ${field}`);
    return (object) => (read(object) === value) === (sign !== "!=");
  });
  return (object) => all.every((selects) => selects(object));
}

/** The filter of a list or a watch. */
export interface ListOptions {
  readonly namespace: string;
  /** Whether the namespace and the selectors match an object. */
  readonly selects: Selects;
  readonly selective: boolean;
  /** 0 for no limit. */
  readonly limit: number;
  readonly continueFrom: string;
}

/** Reads the options of a list or a watch. */
export function listOptions(
  resource: Resource,
  { namespace }: RequestInfo,
  query: URLSearchParams,
): ListOptions {
  const text = (name: string) => query.get(name) ?? "";
  const labels = byLabels(text("labelSelector"));
  const fields = byFields(resource, text("fieldSelector"));
  const isThere: Selects = ({ metadata }) =>
    namespace === "" || !resource.namespaced || metadata.namespace === namespace;
  return {
    namespace,
    selects: (object) => isThere(object) && fields(object) && labels(object),
    selective: query.has("labelSelector") || query.has("fieldSelector"),
    limit: Number(text("limit")),
    continueFrom: text("continue"),
  };
}
