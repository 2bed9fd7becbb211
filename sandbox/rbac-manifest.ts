import { readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import type { RbacObject } from "./cluster/api/authorizer.ts";

const manifest = new URL("../lib/rbac.yaml", import.meta.url);

/** The roles that are applied to a cluster when the function is deployed for it. */
export const rbacManifest = (): readonly RbacObject[] =>
  // Our own manifest; a test of every scenario fails if the function may not do its work with it.
  [...parseAllDocuments(readFileSync(manifest, "utf8"))].map(
    (document) => document.toJS() as RbacObject,
  );
