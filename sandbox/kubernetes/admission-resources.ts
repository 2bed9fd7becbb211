import type { KubeObject } from "./kube-object.ts";
import { type Resource, usual } from "./resource.ts";

/** A policy of admission, or its binding; nothing here heeds it. */
export interface AdmissionObject extends KubeObject {
  readonly spec: object;
}

const admission = {
  ...usual,
  group: "admissionregistration.k8s.io",
  namespaced: false,
  nothing: { spec: {} },
} as const;

/** ValidatingAdmissionPolicies. */
export const admissionPolicies: Resource<AdmissionObject> = {
  ...admission,
  plural: "validatingadmissionpolicies",
  kind: "ValidatingAdmissionPolicy",
};

/** ValidatingAdmissionPolicyBindings. */
export const admissionBindings: Resource<AdmissionObject> = {
  ...admission,
  statusSubresource: false,
  plural: "validatingadmissionpolicybindings",
  kind: "ValidatingAdmissionPolicyBinding",
};
