import { CoreV1Api, type KubernetesObject } from "@kubernetes/client-node";
import { expect, vi } from "vitest";
import type { ControlPlane } from "./control-plane.ts";

const patience = { timeout: 90_000, interval: 200 };

/**
 * Applies pods, and the ReplicaSets that adopt them once all run. A ReplicaSet's controller makes
 * pods of its own where it has not seen those that are there, and then deletes the surplus.
 */
export async function applyAdopted(
  controlPlane: ControlPlane,
  ...manifests: readonly KubernetesObject[]
): Promise<void> {
  const owners = manifests.filter(({ kind }) => kind === "ReplicaSet");
  await controlPlane.apply(...manifests.filter((one) => !owners.includes(one)));
  const core = controlPlane.api(CoreV1Api);
  await vi.waitFor(async () => {
    const { items } = await core.listPodForAllNamespaces();
    const phases = items.filter(isBare).map(({ status }) => status?.phase);
    expect(phases.filter((phase) => phase !== "Running")).toEqual([]);
  }, patience);
  await controlPlane.apply(...owners);
}

const isBare = ({ metadata }: KubernetesObject) => metadata?.ownerReferences === undefined;
