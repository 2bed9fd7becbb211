import { createHash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { CoreV1Api, StorageV1Api } from "@kubernetes/client-node";
import type { RealWorld } from "../../../test/cluster/real-world.ts";

const driver = "ebs.csi.aws.com";

/** The volumes of some nodes. */
export interface VolumesOfNodes {
  readonly nodes: readonly string[];
  readonly count: number;
  /** How many seconds after the last pod of a node its volumes are detached. */
  readonly detachAfter: number;
}

const handlesOn = (node: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `vol-${node}-${index}`);

const attachmentOf = (handle: string, node: string) => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "VolumeAttachment",
  metadata: {
    name: `csi-${createHash("sha256").update(`${handle}${driver}${node}`).digest("hex")}`,
  },
  spec: { attacher: driver, nodeName: node, source: { persistentVolumeName: `pv-${handle}` } },
});

/**
 * Attaches volumes to nodes as the attach/detach controller does, and detaches them when their pods have left. Returns a
 * function that stops this.
 */
export async function attachVolumes(
  { controlPlane }: RealWorld,
  { nodes, count, detachAfter }: VolumesOfNodes,
): Promise<() => Promise<void>> {
  let wanted = true;
  const core = controlPlane.api(CoreV1Api);
  const storage = controlPlane.api(StorageV1Api);
  const list = (node: string, handles: readonly string[]) => {
    const volumesAttached = handles.map((handle) => ({
      name: `kubernetes.io/csi/${driver}^${handle}`,
      devicePath: "",
    }));
    const body = JSON.stringify({ status: { volumesAttached } });
    const patch = ["patch", "node", node, "--subresource=status", "--type=merge", "-p", body];
    return controlPlane.kubectlText(...patch);
  };
  const isEmpty = async (node: string): Promise<boolean> => {
    const fieldSelector = `spec.nodeName=${node}`;
    const { items } = await core.listNamespacedPod({ namespace: "bench", fieldSelector });
    return items.length === 0;
  };
  const detachOnceEmpty = async (node: string): Promise<void> => {
    while (wanted && !(await isEmpty(node))) await setTimeout(500);
    if (!wanted) return;
    await list(node, []);
    await setTimeout(detachAfter * 1000);
    for (const handle of handlesOn(node, count))
      await storage.deleteVolumeAttachment({ name: attachmentOf(handle, node).metadata.name });
  };
  const detaching: Promise<void>[] = [];
  if (count > 0)
    for (const node of nodes) {
      const handles = handlesOn(node, count);
      await controlPlane.apply(...handles.map((handle) => attachmentOf(handle, node)));
      await list(node, handles);
      detaching.push(detachOnceEmpty(node));
    }
  return async () => {
    wanted = false;
    await Promise.allSettled(detaching);
  };
}
