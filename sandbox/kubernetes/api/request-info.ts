import { pods } from "../core-resources.ts";
import type { Resource } from "../resource.ts";
import { allResources } from "../resources.ts";
import type { KubeRequest } from "./exchange.ts";

/** The content of a request, as authorization and the audit log name it. */
export interface RequestInfo {
  readonly verb: string;
  readonly path: string;
  /** Whether the path is one of an API group, known or not. */
  readonly isResource: boolean;
  readonly group: string;
  readonly plural: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The resource, if there is one. */
  readonly resource: Resource | undefined;
}

const verbs: Readonly<Record<string, readonly [one: string, many: string]>> = {
  GET: ["get", "list"],
  HEAD: ["get", "list"],
  POST: ["create", "create"],
  PUT: ["update", "update"],
  PATCH: ["patch", "patch"],
  DELETE: ["delete", "deletecollection"],
};

const isWatch = (query: URLSearchParams): boolean => /^(1|true)$/.test(query.get("watch") ?? "");

function verbOf({ method, query }: KubeRequest, name: string): string {
  const [one, many] = verbs[method] ?? [method.toLowerCase(), method.toLowerCase()];
  if (method === "GET" && isWatch(query)) return "watch";
  return name ? one : many;
}

/** The name that a field selector limits a list or watch to; it counts as the request's name. */
const selectedName = (query: URLSearchParams): string =>
  /^metadata\.name==?([^,=!]+)$/.exec(query.get("fieldSelector") ?? "")?.[1] ?? "";

function nonResource(request: KubeRequest): RequestInfo {
  const nothing = { group: "", plural: "", subresource: "", namespace: "", name: "" };
  const verb = request.method.toLowerCase();
  return { ...nothing, verb, path: request.path, isResource: false, resource: undefined };
}

/** Splits off the namespace; a path that ends there means the namespace object itself. */
function placeIn(steps: readonly string[]): readonly [namespace: string, rest: readonly string[]] {
  const [first, namespace = "", third] = steps;
  if (first !== "namespaces" || namespace === "") return ["", steps];
  const isItself = third === undefined || third === "status" || third === "finalize";
  return [namespace, isItself ? steps : steps.slice(2)];
}

/** The group, the version and the rest of a path; `undefined` for a path outside the API groups. */
function apiPath(path: string): readonly [group: string, version: string, ...string[]] | undefined {
  const [root, ...behind] = path.split("/").filter(Boolean).map(decodeURIComponent);
  if (root === "api" && behind[0] === "v1") return ["", ...(behind as [string, ...string[]])];
  const complete = root === "apis" && behind.length > 2;
  return complete ? (behind as [string, string, ...string[]]) : undefined;
}

/** Reads verb, resource, namespace and name from a request. */
export function requestInfo(request: KubeRequest): RequestInfo {
  const [group, version, ...steps] = apiPath(request.path) ?? ["", ""];
  const [namespace, [plural = "", name = "", subresource = ""]] = placeIn(steps);
  if (plural === "") return nonResource(request);
  return {
    verb: verbOf(request, name),
    path: request.path,
    isResource: true,
    group,
    plural,
    subresource,
    namespace,
    name: name || selectedName(request.query),
    resource: findResource(group, plural, version),
  };
}

const findResource = (group: string, plural: string, version = ""): Resource | undefined =>
  allResources.find(
    (it) => it.group === group && it.plural === plural && (it.version ?? "v1") === version,
  );

/** Whether a request asks for an eviction. */
export const isEviction = ({ resource, subresource }: RequestInfo): boolean =>
  resource?.plural === pods.plural && subresource === "eviction";
