import type { Draft } from "../kube-object.ts";
import type { Node } from "../node.ts";
import type { PersistentVolume, PersistentVolumeClaim, VolumeAttachment } from "../volume.ts";

/** A VolumeAttachment to be added. */
export interface AttachmentOptions {
  readonly name: string;
  readonly node: string;
  readonly volume?: string;
  /** @default "attached" */
  readonly state?: "attached" | "detached";
  readonly finalizers?: readonly string[];
}

const driver = "ebs.csi.aws.com";

/** Annotates a node with the volume driver's ID for it, as the kubelet does. */
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

/** An attachment as the attach/detach controller creates it. */
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

/** A claim and its bound volume, both to be added. */
export interface VolumeOptions {
  readonly volume: string;
  readonly claim: string;
  /** @default "default" */
  readonly namespace?: string;
}

/** The claim, bound to the volume. */
export const claimDraft = ({
  volume,
  claim,
  namespace = "default",
}: VolumeOptions): Draft<PersistentVolumeClaim> => ({
  metadata: { name: claim, namespace },
  spec: { volumeName: volume, accessModes: ["ReadWriteOnce"] },
});

/** The volume as its provisioner creates it. */
export const volumeDraft = ({
  volume,
  claim,
  namespace = "default",
}: VolumeOptions): Draft<PersistentVolume> => ({
  metadata: { name: volume },
  spec: { claimRef: { namespace, name: claim }, csi: { driver } },
});
