import { readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import type { RbacObject } from "./cluster/api/authorizer.ts";

const manifests = ["../lambda/rights/rbac.yaml", "../lambda/rights/rbac-force.yaml"];

/** The roles that are applied to a cluster when the function is deployed for it. */
export const rbacManifest = (): readonly RbacObject[] =>
  manifests
    .map((path) => readFileSync(new URL(path, import.meta.url), "utf8"))
    .flatMap((text) => parseAllDocuments(text))
    .map((document) => document.toJS() as RbacObject);
