import type { NodeName } from "../ids.ts";
import type { Node } from "./node.ts";

/** A volume that the cluster has attached to a node, or is detaching. */
export interface Attachment {
  readonly name: string;
  readonly node: NodeName;
  /** The PersistentVolume; empty for a volume that is written inline. */
  readonly volume: string;
  readonly state: "attached" | "detached";
}

/** The attachments that a node's end would cut off: those not yet detached, but for volumes whose pods stay. */
export const holdingAttachments = (
  attachments: readonly Attachment[],
  node: NodeName,
  staying: ReadonlySet<string>,
): readonly Attachment[] =>
  attachments.filter(
    (attachment) =>
      attachment.node === node &&
      attachment.state === "attached" &&
      attachment.volume !== "" &&
      !staying.has(attachment.volume),
  );

const driversAnnotation = "csi.volume.kubernetes.io/nodeid";

/**
 * Whether a storage driver is at work on a node, as its kubelet writes down; without one nothing is attached to it.
 *
 * What the node's status says to be attached is no proof: it is taken from there before the driver begins to detach.
 * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/volume/csi/nodeinfomanager/nodeinfomanager.go
 * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/volume/attachdetach/reconciler/reconciler.go
 */
export const takesVolumes = ({ annotations }: Pick<Node, "annotations">): boolean =>
  driversAnnotation in annotations;
