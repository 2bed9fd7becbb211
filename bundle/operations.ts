import type { AppsV1Api, CoreV1Api, PolicyV1Api, StorageV1Api } from "@kubernetes/client-node";

/** The operations that the functions call, by API class of client-node; no others are deployed. */
export type Operations = Readonly<Record<string, readonly string[]>>;

/** The operations in use. The build fails if lambda/ calls an operation that is not listed here. */
export const operations = {
  AppsV1Api: ["readNamespacedDaemonSet"],
  CoreV1Api: [
    "createNamespacedConfigMap",
    "createNamespacedEvent",
    "createNamespacedPodEviction",
    "deleteNamespacedPod",
    "deleteNode",
    "listNamespacedPod",
    "listNode",
    "listPodForAllNamespaces",
    "patchNode",
    "readNamespacedConfigMap",
    "readNamespacedPersistentVolumeClaim",
    "readNode",
    "replaceNamespacedConfigMap",
  ],
  PolicyV1Api: ["listNamespacedPodDisruptionBudget", "listPodDisruptionBudgetForAllNamespaces"],
  StorageV1Api: ["listVolumeAttachment"],
} as const satisfies {
  readonly AppsV1Api: readonly (keyof AppsV1Api)[];
  readonly CoreV1Api: readonly (keyof CoreV1Api)[];
  readonly PolicyV1Api: readonly (keyof PolicyV1Api)[];
  readonly StorageV1Api: readonly (keyof StorageV1Api)[];
};
