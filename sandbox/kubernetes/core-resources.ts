import { completePod } from "./complete-pod.ts";
import type { KubeObject } from "./kube-object.ts";
import type { Node } from "./node.ts";
import type { Pod } from "./pod.ts";
import { type Resource, usual } from "./resource.ts";

/** A ConfigMap. */
export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** A name in front of the pods that it selects. */
interface Service extends KubeObject {
  readonly spec: {
    readonly selector?: Readonly<Record<string, string>>;
    readonly [field: string]: unknown;
  };
}

function tidySpec({ unschedulable, taints, ...spec }: Node["spec"]): Node["spec"] {
  const tainted = taints !== undefined && taints.length > 0;
  return {
    ...spec,
    ...(unschedulable ? { unschedulable } : {}),
    ...(tainted ? { taints } : {}),
  };
}

/** Nodes. */
export const nodes: Resource<Node> = {
  ...usual,
  plural: "nodes",
  kind: "Node",
  namespaced: false,
  generation: false,
  nothing: {
    spec: {},
    status: { daemonEndpoints: { kubeletEndpoint: { Port: 0 } }, nodeInfo: {} },
  },
  fields: { "spec.unschedulable": ({ spec }) => String(spec.unschedulable ?? false) },
  tidy: (node) => ({ ...node, spec: tidySpec(node.spec) }),
  complete: (draft) => ({ ...draft, spec: draft.spec ?? {}, status: draft.status ?? {} }),
};

/** Pods. */
export const pods: Resource<Pod> = {
  ...usual,
  returnsDeleted: true,
  plural: "pods",
  kind: "Pod",
  nothing: { spec: { containers: null }, status: {} },
  fields: {
    "spec.nodeName": ({ spec }) => spec.nodeName ?? "",
    "spec.serviceAccountName": ({ spec }) => spec.serviceAccountName ?? "",
    "status.phase": ({ status }) => status.phase,
  },
  // A binding sets the node name, which does not count as a change of the spec.
  counted: ({ spec: { nodeName: _, ...rest } }) => rest,
  complete: completePod,
};

/** Namespaces. */
export const namespaces: Resource<KubeObject & { readonly status: object }> = {
  ...usual,
  returnsDeleted: true,
  plural: "namespaces",
  kind: "Namespace",
  namespaced: false,
  generation: false,
  nothing: { spec: {}, status: {} },
  complete: ({ metadata, ...draft }) => ({
    ...draft,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, "kubernetes.io/metadata.name": metadata.name ?? "" },
    },
    status: { phase: "Active" },
  }),
};

/** ConfigMaps. */
export const configMaps: Resource<ConfigMap> = {
  ...usual,
  plural: "configmaps",
  kind: "ConfigMap",
  generation: false,
  statusSubresource: false,
  nothing: {},
};

/** Services. */
export const services: Resource<Service> = {
  ...usual,
  returnsDeleted: true,
  plural: "services",
  kind: "Service",
  generation: false,
  nothing: { spec: {}, status: { loadBalancer: {} } },
  complete: (draft) => ({ ...draft, status: { loadBalancer: {} } }),
};
