import { forbidden } from "../refusals.ts";
import { ApiError } from "../status.ts";
import type { UserInfo } from "./authenticator.ts";
import type { RequestInfo } from "./request-info.ts";

/** Decides whether a user may do something. */
export type Authorizer = (user: UserInfo, request: RequestInfo) => boolean;

/** One rule of a role, as RBAC writes it. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** A Role or ClusterRole. */
export interface RbacRole {
  readonly kind: "Role" | "ClusterRole";
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules: readonly PolicyRule[];
}

/** A RoleBinding or ClusterRoleBinding. */
export interface RoleBinding {
  readonly kind: "RoleBinding" | "ClusterRoleBinding";
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly roleRef: { readonly kind: string; readonly name: string };
  readonly subjects: readonly { readonly kind: string; readonly name: string }[];
}

/** An object of rbac.authorization.k8s.io, as a manifest has it. */
export type RbacObject = RbacRole | RoleBinding;

const has = (list: readonly string[] | undefined, word: string): boolean =>
  list !== undefined && (list.includes("*") || list.includes(word));

const wholeName = ({ plural, subresource }: RequestInfo): string =>
  subresource ? `${plural}/${subresource}` : plural;

function allowsResource(rule: PolicyRule, request: RequestInfo): boolean {
  if (!has(rule.apiGroups, request.group)) return false;
  const anySubresource = `*/${request.subresource}`;
  const named = has(rule.resources, wholeName(request)) || rule.resources?.includes(anySubresource);
  if (!named) return false;
  return (rule.resourceNames?.length ?? 0) === 0 || has(rule.resourceNames, request.name);
}

const allows = (rule: PolicyRule, request: RequestInfo): boolean =>
  has(rule.verbs, request.verb) && allowsResource(rule, request);

const isSubject = ({ username, groups }: UserInfo, { subjects }: RoleBinding): boolean =>
  subjects.some(({ kind, name }) => (kind === "User" ? username === name : groups.includes(name)));

const isRole = (object: RbacObject): object is RbacRole =>
  object.kind === "Role" || object.kind === "ClusterRole";

/** Decides by the roles and bindings that there are at a request; `system:masters` may do everything. */
export function roleBasedAuthorizer(objects: readonly RbacObject[]): Authorizer {
  const bindings = () => objects.filter((object): object is RoleBinding => !isRole(object));
  const rulesOf = ({ roleRef, metadata }: RoleBinding): readonly PolicyRule[] =>
    objects
      .filter(isRole)
      .filter(({ kind, metadata: { name } }) => kind === roleRef.kind && name === roleRef.name)
      .filter(
        (role) => role.kind === "ClusterRole" || role.metadata.namespace === metadata.namespace,
      )
      .flatMap(({ rules }) => rules);
  const reaches = ({ kind, metadata }: RoleBinding, { namespace }: RequestInfo): boolean =>
    kind === "ClusterRoleBinding" || (namespace !== "" && metadata.namespace === namespace);
  return (user, request) =>
    user.groups.includes("system:masters") ||
    bindings()
      .filter((binding) => reaches(binding, request) && isSubject(user, binding))
      .some((binding) => rulesOf(binding).some((rule) => allows(rule, request)));
}

/** Allows everything to every user. */
export const everythingIsAllowed: Authorizer = () => true;

function reasonAgainst({ username }: UserInfo, request: RequestInfo): string {
  const { verb, group, namespace } = request;
  if (!request.isResource) return `User "${username}" cannot ${verb} path "${request.path}"`;
  const place = namespace ? `in the namespace "${namespace}"` : "at the cluster scope";
  return `User "${username}" cannot ${verb} resource "${wholeName(request)}" in API group "${group}" ${place}`;
}

/** Refuses what a user may not do, in the words of the API server. */
export function assertAllowed(allowed: Authorizer, user: UserInfo, request: RequestInfo): void {
  if (allowed(user, request)) return;
  const why = reasonAgainst(user, request);
  const { group, plural, name } = request;
  if (request.isResource) throw forbidden({ group, plural, kind: plural }, name, why);
  const message = `forbidden: ${why}`;
  throw new ApiError({ code: 403, message, reason: "Forbidden", details: {} });
}
