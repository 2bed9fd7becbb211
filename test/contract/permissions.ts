import type { PolicyRule, RbacObject, RbacRole } from "../../sandbox/kubernetes/api/authorizer.ts";
import { rbacManifest } from "../../sandbox/rbac-manifest.ts";

/** One thing that the function may do in a cluster, such as `get nodes`. */
export interface Permission {
  readonly verb: string;
  readonly resource: string;
}

const isRole = (object: RbacObject): object is RbacRole => "rules" in object;

/** A permission, as RBAC names it when it refuses. */
export const titleOf = ({ verb, resource }: Permission): string => `${verb} ${resource}`;

/** Everything that the manifests in `lib/` allow. */
export const permissions: readonly Permission[] = rbacManifest()
  .filter(isRole)
  .flatMap(({ rules }) => rules)
  .flatMap(({ resources = [], verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => ({ verb, resource }))),
  );

/** The manifests for another group, without one of the function's permissions. */
export const manifestsWithout = (without: Permission, group: string): readonly RbacObject[] =>
  rbacManifest().map((object) => {
    const metadata = { ...object.metadata, name: `${object.metadata.name}-${group}` };
    if (isRole(object))
      return {
        ...object,
        metadata,
        rules: object.rules.flatMap((rule) => lessened(rule, without)),
      };
    const roleRef = { ...object.roleRef, name: `${object.roleRef.name}-${group}` };
    const subjects = object.subjects.map((subject) => ({ ...subject, name: group }));
    return { ...object, metadata, roleRef, subjects };
  });

/** A rule without a permission; no rule at all if it had no other permission. */
function lessened(rule: PolicyRule, { verb, resource }: Permission): readonly PolicyRule[] {
  if (rule.resources?.includes(resource) !== true) return [rule];
  const verbs = rule.verbs.filter((other) => other !== verb);
  return verbs.length === 0 ? [] : [{ ...rule, verbs }];
}
