/** A policy that lets nobody delete a pod of a namespace. */
export function keepsPods(namespace: string): readonly string[] {
  const api = { apiVersion: "admissionregistration.k8s.io/v1", metadata: { name: namespace } };
  const rule = {
    apiGroups: [""],
    apiVersions: ["v1"],
    operations: ["DELETE"],
    resources: ["pods"],
  };
  const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": namespace } };
  const policy = {
    ...api,
    kind: "ValidatingAdmissionPolicy",
    spec: {
      matchConstraints: { namespaceSelector, resourceRules: [rule] },
      validations: [{ expression: "false", message: "none goes" }],
    },
  };
  const binding = {
    ...api,
    kind: "ValidatingAdmissionPolicyBinding",
    spec: { policyName: namespace, validationActions: ["Deny"] },
  };
  return [policy, binding].map((one) => JSON.stringify(one));
}
