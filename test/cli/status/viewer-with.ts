import type { PolicyRule } from "../../../sandbox/kubernetes/api/authorizer.ts";
import type { SiteOptions } from "../connect/a-site.ts";

const name = "viewer";
const roleRef = { kind: "ClusterRole", name };
const subjects = [{ kind: "Group", name }];

/** Somebody with these rights in the cluster, and with all in AWS. */
export const viewerWith = (...rules: readonly PolicyRule[]): SiteOptions => ({
  broken: "budget-blocked",
  group: name,
  rbac: [
    { kind: "ClusterRole", metadata: { name }, rules },
    { kind: "ClusterRoleBinding", metadata: { name }, roleRef, subjects },
  ],
});
