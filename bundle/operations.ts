import type { AppsV1Api, CoreV1Api, PolicyV1Api, StorageV1Api } from "@kubernetes/client-node";

/** The operations of each of client-node's API classes that the functions call; no other is deployed. */
export type Operations = Readonly<Record<string, readonly string[]>>;

/** What is in use. Calling another operation from lambda/ fails the build until it is added here. */
export const operations = {
  AppsV1Api: ["readNamespacedDaemonSet"],
  CoreV1Api: [
    "createNamespacedConfigMap",
    "createNamespacedEvent",
    "createNamespacedPodEviction",
    "deleteNamespacedPod",
    "listNamespacedPod",
    "listNode",
    "listPodForAllNamespaces",
    "patchNode",
    "readNamespacedConfigMap",
    "readNamespacedPersistentVolumeClaim",
    "readNode",
    "replaceNamespacedConfigMap",
  ],
  PolicyV1Api: ["listPodDisruptionBudgetForAllNamespaces"],
  StorageV1Api: ["listVolumeAttachment"],
} as const satisfies {
  readonly AppsV1Api: readonly (keyof AppsV1Api)[];
  readonly CoreV1Api: readonly (keyof CoreV1Api)[];
  readonly PolicyV1Api: readonly (keyof PolicyV1Api)[];
  readonly StorageV1Api: readonly (keyof StorageV1Api)[];
};
