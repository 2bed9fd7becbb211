import type { NodeName } from "../ids.ts";
import type { Node } from "./node.ts";

/** A volume that the cluster has attached to a node, or is detaching. */
export interface Attachment {
  readonly name: string;
  readonly node: NodeName;
  /** The PersistentVolume; empty for an inline volume. */
  readonly volume: string;
  readonly state: "attached" | "detached";
}

/** The attachments that the end of a node would cut off: those not yet detached, except for volumes whose pods stay. */
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
 * Whether a storage driver runs on a node, as its kubelet records in an annotation; without a driver no volume is
 * attached to the node.
 *
 * The list of attached volumes in the node's status proves nothing: Kubernetes removes a volume from it before the
 * driver begins to detach that volume.
 * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/volume/csi/nodeinfomanager/nodeinfomanager.go
 * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/volume/attachdetach/reconciler/reconciler.go
 */
export const takesVolumes = ({ annotations }: Pick<Node, "annotations">): boolean =>
  driversAnnotation in annotations;
