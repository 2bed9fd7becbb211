import { readdirSync, readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import type { RbacObject } from "./kubernetes/api/authorizer.ts";

const rights = new URL("../lambda/rights/", import.meta.url);

/** Reads every RBAC object that you may apply to a cluster when you deploy the function for it. */
export const rbacManifest = (): readonly RbacObject[] =>
  readdirSync(rights)
    .filter((file) => file.startsWith("rbac") && file.endsWith(".yaml"))
    .map((file) => readFileSync(new URL(file, rights), "utf8"))
    .flatMap((text) => parseAllDocuments(text))
    .map((document) => document.toJS() as RbacObject);
