import { readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import type { RbacObject } from "./cluster/api/authorizer.ts";

const manifests = ["rbac", "rbac-aws-auth-read", "rbac-aws-auth-edit", "rbac-force"];

/** All roles that may be applied to a cluster when the function is deployed for it. */
export const rbacManifest = (): readonly RbacObject[] =>
  manifests
    .map((name) => new URL(`../lambda/rights/${name}.yaml`, import.meta.url))
    .map((path) => readFileSync(path, "utf8"))
    .flatMap((text) => parseAllDocuments(text))
    .map((document) => document.toJS() as RbacObject);
