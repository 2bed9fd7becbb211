import type { Draft } from "../kube-object.ts";
import type { Node } from "../node.ts";
import type { PersistentVolume, PersistentVolumeClaim, VolumeAttachment } from "../volume.ts";

/** A volume that a node holds. */
export interface AttachmentOptions {
  readonly name: string;
  readonly node: string;
  readonly volume?: string;
  /** @default "attached" */
  readonly state?: "attached" | "detached";
  readonly finalizers?: readonly string[];
}

const driver = "ebs.csi.aws.com";

/** A node whose kubelet has been told of the volumes' driver. */
export const withDriver = (node: Node): Node => ({
  ...node,
  metadata: {
    ...node.metadata,
    annotations: {
      ...node.metadata.annotations,
      "csi.volume.kubernetes.io/nodeid": JSON.stringify({ [driver]: node.metadata.name }),
    },
  },
});

/** An attachment as the attach/detach controller makes it. */
export function attachmentDraft(options: AttachmentOptions): Draft<VolumeAttachment> {
  const { name, node, volume, finalizers, state = "attached" } = options;
  return {
    metadata: { name, ...(finalizers === undefined ? {} : { finalizers }) },
    spec: {
      attacher: driver,
      nodeName: node,
      source: volume === undefined ? {} : { persistentVolumeName: volume },
    },
    status: { attached: state === "attached" },
  };
}

/** A claim, and the volume bound to it. */
export interface VolumeOptions {
  readonly volume: string;
  readonly claim: string;
  /** @default "default" */
  readonly namespace?: string;
}

/** A claim as its pod names it. */
export const claimDraft = ({
  volume,
  claim,
  namespace = "default",
}: VolumeOptions): Draft<PersistentVolumeClaim> => ({
  metadata: { name: claim, namespace },
  spec: { volumeName: volume, accessModes: ["ReadWriteOnce"] },
});

/** A volume as its provisioner makes it. */
export const volumeDraft = ({
  volume,
  claim,
  namespace = "default",
}: VolumeOptions): Draft<PersistentVolume> => ({
  metadata: { name: volume },
  spec: { claimRef: { namespace, name: claim }, csi: { driver } },
});
