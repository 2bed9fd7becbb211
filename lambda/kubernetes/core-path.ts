const text = encodeURIComponent;

/** The path of a node. */
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
