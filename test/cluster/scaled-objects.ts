import { setTimeout } from "node:timers/promises";
import {
  ApiextensionsV1Api,
  AutoscalingV2Api,
  CustomObjectsApi,
  PatchStrategy,
  setHeaderOptions,
} from "@kubernetes/client-node";
import { vi } from "vitest";
import type { ControlPlane } from "./control-plane.ts";

const patience = { timeout: 60_000, interval: 250 };

/** KEDA's ScaledObjects, as far as the API server is concerned. */
export const scaledObjects = {
  group: "keda.sh",
  version: "v1alpha1",
  plural: "scaledobjects",
} as const;

/** Has a control plane serve ScaledObjects, and makes one of this name for a Deployment of the same name. */
export async function addScaledObject(
  controlPlane: ControlPlane,
  metadata: { readonly namespace: string; readonly name: string },
  counts: { readonly minReplicaCount?: number; readonly maxReplicaCount?: number },
): Promise<string> {
  const { group, version, plural } = scaledObjects;
  const openAPIV3Schema = { type: "object", x_kubernetes_preserve_unknown_fields: true };
  await controlPlane.api(ApiextensionsV1Api).createCustomResourceDefinition({
    body: {
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope: "Namespaced",
        names: { plural, singular: "scaledobject", kind: "ScaledObject" },
        versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema } }],
      },
    },
  });
  const body = {
    apiVersion: `${group}/${version}`,
    kind: "ScaledObject",
    metadata,
    spec: { scaleTargetRef: { name: metadata.name }, triggers: [], ...counts },
  };
  return vi.waitFor(async () => {
    const request = { ...scaledObjects, namespace: metadata.namespace, body };
    const made = await controlPlane.api(CustomObjectsApi).createNamespacedCustomObject(request);
    return made.metadata.uid;
  }, patience);
}

/** Plays KEDA for a ScaledObject: keeps an autoscaler of the same name, and hands the least count on to it. */
export async function playKeda(
  controlPlane: ControlPlane,
  metadata: { readonly namespace: string; readonly name: string },
): Promise<() => Promise<void>> {
  const { name, namespace } = metadata;
  const uid = await addScaledObject(controlPlane, metadata, {
    minReplicaCount: 0,
    maxReplicaCount: 3,
  });
  const { group, version } = scaledObjects;
  const owner = { apiVersion: `${group}/${version}`, kind: "ScaledObject", name, uid };
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name };
  const api = controlPlane.api(AutoscalingV2Api);
  await api.createNamespacedHorizontalPodAutoscaler({
    namespace,
    body: {
      metadata: { ...metadata, ownerReferences: [{ ...owner, controller: true }] },
      spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 3 },
    },
  });
  const stopping = new AbortController();
  const merge = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);
  const play = async () => {
    while (!stopping.signal.aborted) {
      const read = await controlPlane
        .api(CustomObjectsApi)
        .getNamespacedCustomObject({ ...scaledObjects, ...metadata });
      const minReplicas = Math.max(1, read.spec.minReplicaCount);
      const change = { ...metadata, body: { spec: { minReplicas } } };
      await api.patchNamespacedHorizontalPodAutoscaler(change, merge);
      await setTimeout(500);
    }
  };
  const playing = play();
  return () => {
    stopping.abort();
    return playing;
  };
}
