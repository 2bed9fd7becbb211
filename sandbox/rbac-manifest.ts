import { readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import type { RbacObject } from "./kubernetes/api/authorizer.ts";

const manifests = [
  "rbac",
  "rbac-aws-auth-read",
  "rbac-aws-auth-edit",
  "rbac-force",
  "rbac-node-removal",
  "rbac-events",
  "rbac-upgrades",
  "rbac-repairs",
  "rbac-making-room",
];

/** Reads every RBAC object that you may apply to a cluster when you deploy the function for it. */
export const rbacManifest = (): readonly RbacObject[] =>
  manifests
    .map((name) => new URL(`../lambda/rights/${name}.yaml`, import.meta.url))
    .map((path) => readFileSync(path, "utf8"))
    .flatMap((text) => parseAllDocuments(text))
    .map((document) => document.toJS() as RbacObject);
