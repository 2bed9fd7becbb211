import { admissionBindings } from "../../../../sandbox/kubernetes/admission-resources.ts";
import { account, appliedBy, type Breaks, id, refencing, rewording } from "./break.ts";

/** Ways to break the links between the function and the cluster. */
export const clusterBreaks: Breaks = {
  cluster: [
    {
      how: "the cluster has Kubernetes 1.29",
      breaking: ({ aws }) => aws.eks.updateCluster("sample", { version: "1.29" }),
      says: /1\.29, which has no ValidatingAdmissionPolicy/,
    },
    {
      how: "the cluster has failed",
      breaking: ({ aws }) => aws.eks.updateCluster("sample", { status: "FAILED" }),
      says: /cluster sample is FAILED/,
    },
  ],
  access: [
    {
      how: "the access entry is deleted",
      breaking: ({ aws }) =>
        aws.eks.findCluster("sample").entries.delete(`arn:aws:iam::${account}:role/${id.role}`),
      says: /does not admit role/,
    },
    {
      how: "the access entry has another group",
      breaking: ({ aws }) =>
        aws.eks.findCluster("sample").entries.update(`arn:aws:iam::${account}:role/${id.role}`, {
          username: undefined,
          groups: ["others"],
        }),
      says: /puts it into others, and not into eks-node-lifecycle/,
    },
  ],
  rbac: [
    {
      how: "the ClusterRole of evictions is deleted",
      options: {
        keeps: ({ kind, metadata: { name } }) =>
          kind !== "ClusterRole" || name !== "eks-node-lifecycle",
      },
      says: /^the function may not .*; create pods\/eviction/,
    },
    {
      how: "the binding of force is deleted",
      options: { keeps: ({ metadata: { name } }) => name !== "eks-node-lifecycle-force" },
      says: /^the function may not delete pods$/,
    },
  ],
  fences: [
    {
      how: "the binding of the node's fence is deleted",
      breaking: ({ cluster }) =>
        cluster.store.remove({ resource: admissionBindings, name: "eks-node-lifecycle" }),
      says: /ValidatingAdmissionPolicyBinding eks-node-lifecycle is not there/,
    },
    {
      how: "the fence fails open",
      breaking: refencing("policy", (spec) => ({ ...spec, failurePolicy: "Ignore" })),
      says: /fails open/,
    },
    {
      how: "the fence lets everybody pass by a condition",
      breaking: refencing("policy", (spec) => ({
        ...spec,
        matchConditions: [{ name: "nobody", expression: "false" }],
      })),
      says: /is not that of this version and these settings/,
    },
    {
      how: "the fence heeds no resources",
      breaking: refencing("policy", (spec) => ({
        ...spec,
        matchConstraints: { resourceRules: [] },
      })),
      says: /is not that of this version and these settings/,
    },
    {
      how: "a variable of the fence is always false",
      breaking: rewording("request.operation == 'DELETE'", "false"),
      says: /is not that of this version and these settings/,
    },
    {
      how: "the binding is for some namespaces",
      breaking: refencing("binding", (spec) => ({
        ...spec,
        matchResources: { namespaceSelector: { matchLabels: { team: "a" } } },
      })),
      says: /is not that of this version and these settings/,
    },
    {
      how: "the binding is for parameters that are not there",
      breaking: refencing("binding", (spec) => ({
        ...spec,
        paramRef: { selector: { matchLabels: { team: "a" } }, parameterNotFoundAction: "Allow" },
      })),
      says: /is not that of this version and these settings/,
    },
    {
      how: "the fence has parameters",
      breaking: refencing("policy", (spec) => ({
        ...spec,
        paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      })),
      says: /is not that of this version and these settings/,
    },
    {
      how: "the fence has no validations",
      breaking: refencing("policy", (spec) => ({ ...spec, validations: [] })),
      says: /is not that of this version and these settings/,
    },
    {
      how: "the fence allows the taint of nodes that are out of service",
      breaking: rewording("'never'", "'taint'"),
      says: /is not that of this version and these settings/,
    },
    {
      how: "somebody has applied the fence by hand from an older version",
      breaking: appliedBy({ "eks-node-lifecycle/owner-by-hand": "0.0.9" }),
      says: /eks-node-lifecycle was applied by hand from version 0\.0\.9, which is older than the function's, 0\.1\.0/,
    },
    {
      how: "somebody has applied the fence by hand from a version that did not say which",
      breaking: appliedBy({ "eks-node-lifecycle/owner-by-hand": "kubectl" }),
      says: /applied by hand from a version that it does not tell, which is older/,
    },
    {
      how: "the binding only warns",
      breaking: refencing("binding", (spec) => ({ ...spec, validationActions: ["Warn"] })),
      says: /does not deny what eks-node-lifecycle refuses/,
    },
  ],
};
