import { CoreV1Api, StorageV1Api } from "@kubernetes/client-node";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { nodeName } from "../../lambda/base/ids.ts";
import { tryAttachmentName } from "../../lambda/kubernetes/shared-attachments.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { pod } from "./manifests.ts";

const node = { name: "node-a", instanceId: "i-00000000000000001", zone: "eu-west-1a" };
const driver = "ebs.csi.aws.com";
const volumeHandle = "vol-0123456789abcdef0";
const shape = {
  accessModes: ["ReadWriteOnce"],
  storageClassName: "none",
};
const storage = "1Gi";
const patience = { timeout: 60_000, interval: 200 };

const manifests = [
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSIDriver",
    metadata: { name: driver },
    spec: { attachRequired: true },
  },
  {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "pv-data" },
    spec: {
      ...shape,
      capacity: { storage },
      claimRef: { name: "data", namespace: "default" },
      csi: { driver, volumeHandle },
    },
  },
  {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data", namespace: "default" },
    spec: { ...shape, resources: { requests: { storage } }, volumeName: "pv-data" },
  },
  pod({
    name: "web",
    spec: {
      nodeName: node.name,
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
    },
  }),
];

let controlPlane: ControlPlane;
beforeAll(async () => {
  controlPlane = await startControlPlane({ nodes: [node] });
}, 120_000);
afterAll(() => controlPlane.stop());

it("the attach/detach controller lists a volume in the node's status, and names its attachment, as the function expects", async () => {
  const managed = "volumes.kubernetes.io/controller-managed-attach-detach=true";
  await controlPlane.kubectlText("annotate", "node", node.name, managed);
  await controlPlane.apply(...manifests);
  const storageApi = controlPlane.api(StorageV1Api);
  const attachment = await vi.waitFor(async () => {
    const { items } = await storageApi.listVolumeAttachment();
    expect(items).toHaveLength(1);
    return items[0]?.metadata?.name ?? "";
  }, patience);
  const attached = JSON.stringify({ status: { attached: true } });
  const patch = ["patch", "volumeattachment", attachment, "--subresource=status", "--type=merge"];
  await controlPlane.kubectlText(...patch, "-p", attached);

  const volume = await vi.waitFor(async () => {
    const { status } = await controlPlane.api(CoreV1Api).readNode({ name: node.name });
    expect(status?.volumesAttached).toHaveLength(1);
    return status?.volumesAttached?.[0]?.name ?? "";
  }, patience);

  expect(tryAttachmentName(volume, nodeName(node.name))).toBe(attachment);
}, 180_000);
