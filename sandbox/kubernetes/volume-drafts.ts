import { createHash } from "node:crypto";
import type { Draft } from "./kube-object.ts";
import type { Node } from "./node.ts";
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  VolumeAttachment,
} from "./volume-resources.ts";

/** A VolumeAttachment to be added. */
export interface AttachmentOptions {
  /** @default the name that the attach/detach controller gives it; then the node's status lists the volume */
  readonly name?: string;
  readonly node: string;
  readonly volume?: string;
  /** @default "attached" */
  readonly state?: "attached" | "detached";
  readonly finalizers?: readonly string[];
}

const driver = "ebs.csi.aws.com";

/** The name of the attachment of a volume, whose handle is its own name. */
export const attachmentName = (volume: string, node: string): string =>
  `csi-${createHash("sha256").update(`${volume}${driver}${node}`).digest("hex")}`;

/** Lists a volume in a node's status, or takes it out, as the attach/detach controller does. */
export function withVolume(volume: string, change: "add" | "remove"): (node: Node) => Node {
  const name = `kubernetes.io/csi/${driver}^${volume}`;
  return (node) => {
    const { volumesAttached = [] } = node.status;
    const others = volumesAttached.filter((one) => one.name !== name);
    const listed = change === "add" ? [...others, { name, devicePath: "" }] : others;
    return { ...node, status: { ...node.status, volumesAttached: listed } };
  };
}

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
  const { node, volume, finalizers, state = "attached" } = options;
  const { name = attachmentName(volume ?? "", node) } = options;
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
  status: { phase: "Bound" },
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
