import { read, readJson } from "../base/read.ts";
import { anyText, listOf, open, optional } from "../base/schema.ts";
import type { ClusterObject } from "./cluster-object.ts";
import { type FenceLimits, type Rights, type RightsPart, rightsParts } from "./rights.ts";

/** The manifests of each part of the rights, as JSON. */
export type RightsManifests = Readonly<Record<RightsPart, string>>;

export interface RightsObjects {
  readonly wanted: readonly ClusterObject[];
  /** All others that a deployment may have applied. */
  readonly unwanted: readonly ClusterObject[];
}

const text = anyText("text");

const objectsSchema = listOf(
  open({
    apiVersion: text,
    kind: text,
    metadata: open({ name: text, namespace: optional(text) }),
  }),
  "a list of Kubernetes objects",
);

/** Reads the objects of the rights that are wanted, and of those that are not. */
export function readRights(
  manifests: RightsManifests,
  { parts, ...limits }: Rights,
): RightsObjects {
  const objects = (part: RightsPart) => objectsOf(limited(manifests[part], limits), part);
  return {
    wanted: rightsParts.filter((part) => parts.includes(part)).flatMap(objects),
    unwanted: rightsParts.filter((part) => !parts.includes(part)).flatMap(objects),
  };
}

/** Sets the variables of the fences. */
function limited(manifests: string, limits: FenceLimits): string {
  const { ownTaint, outOfService, account, nodeRoles, makeRoom, conditions, force } = limits;
  const roles = nodeRoles.map((role) => `'${role}'`).join(", ");
  return [
    ["outOfService", "'never'", `'${outOfService}'`],
    ["ownTaint", "''", `'${ownTaint}'`],
    ["account", "''", `'${account}'`],
    ["nodeRoles", "[]", `[${roles}]`],
    ["makeRoom", "'on'", `'${makeRoom}'`],
    ["conditions", "'off'", `'${conditions}'`],
    ["force", "'at-deadline'", `'${force}'`],
  ].reduce(
    (text, [name = "", usual = "", own = ""]) =>
      text.replaceAll(variable(name, usual), () => variable(name, own)),
    manifests,
  );
}

const variable = (name: string, expression: string): string =>
  JSON.stringify({ name, expression }).slice(1, -1);

const objectsOf = (json: string, path: string): readonly ClusterObject[] =>
  read(objectsSchema, readJson(json, path), path).map(
    ({ apiVersion, kind, metadata: { name, namespace = "" }, ...body }) => ({
      apiVersion,
      kind,
      name,
      namespace,
      body: { apiVersion, kind, metadata: namespace ? { name, namespace } : { name }, ...body },
    }),
  );
