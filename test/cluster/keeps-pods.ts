import { refusal } from "./refusal.ts";

/** A policy that lets nobody delete a pod of a namespace. */
export function keepsPods(namespace: string): readonly object[] {
  const rule = {
    apiGroups: [""],
    apiVersions: ["v1"],
    operations: ["DELETE"],
    resources: ["pods"],
  };
  const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": namespace } };
  const match = { namespaceSelector, resourceRules: [rule] };
  return refusal({ name: namespace, message: "none goes", match });
}
