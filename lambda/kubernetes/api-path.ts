import { Fault } from "../base/fault.ts";
import type { ClusterObject } from "../rights/cluster-object.ts";

/** The collections of the objects that give rights and priority; `{}` is the namespace. */
const collections: Readonly<Partial<Record<string, string>>> = {
  FlowSchema: "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
  PriorityLevelConfiguration: "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
  ClusterRole: "/apis/rbac.authorization.k8s.io/v1/clusterroles",
  ClusterRoleBinding: "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
  Role: "/apis/rbac.authorization.k8s.io/v1/namespaces/{}/roles",
  RoleBinding: "/apis/rbac.authorization.k8s.io/v1/namespaces/{}/rolebindings",
  ValidatingAdmissionPolicy: "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
  ValidatingAdmissionPolicyBinding:
    "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
};

/** The path of an object that gives rights. */
export function pathOf({ kind, namespace, name }: ClusterObject): string {
  const collection = collections[kind];
  if (collection === undefined)
    throw new Fault("internal.unexpected", `giving access: ${kind} ${name} gives none`);
  return `${collection.replace("{}", namespace)}/${name}`;
}

/** An object as messages name it. */
export const titleOf = ({ kind, namespace, name }: ClusterObject): string =>
  `${kind} ${namespace === "" ? "" : `${namespace}/`}${name}`;

const text = encodeURIComponent;

/** Whether an object can have this name. Others write names into references of all kinds, and a path with `..` or one of 70,000 letters finds something else. */
export const isName = (name: string): boolean => /^[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?$/.test(name);

export const nodePath = (name: string): string => `/api/v1/nodes/${text(name)}`;

/** The path of a namespace, or of objects in it: of all of a kind, of one of them, or of a subresource. */
export const pathIn = (namespace: string, ...steps: readonly string[]): string =>
  ["/api/v1/namespaces", text(namespace), ...steps.map(text)].join("/");

/** The path of a DaemonSet. */
export const daemonSetPath = (namespace: string, name: string): string =>
  groupPathIn("apps/v1", namespace, "daemonsets", name);

/** The path of objects of an API group in a namespace, such as those of `apps/v1`. */
export const groupPathIn = (
  group: string,
  namespace: string,
  ...steps: readonly string[]
): string => [`/apis/${group}/namespaces`, text(namespace), ...steps.map(text)].join("/");
