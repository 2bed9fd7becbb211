const text = encodeURIComponent;

/** The path of a node. */
export const nodePath = (name: string): string => `/api/v1/nodes/${text(name)}`;

/** The path of objects in a namespace: of all of a kind, of one of them, or of a subresource. */
export const pathIn = (namespace: string, ...steps: readonly string[]): string =>
  ["/api/v1/namespaces", text(namespace), ...steps.map(text)].join("/");

/** The path of a DaemonSet. */
export const daemonSetPath = (namespace: string, name: string): string =>
  `/apis/apps/v1/namespaces/${text(namespace)}/daemonsets/${text(name)}`;
