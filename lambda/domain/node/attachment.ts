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
 * Whether volumes may be attached to a node. Any of these:
 * - a storage driver runs on it, as its kubelet records in an annotation;
 * - its status lists volumes, also those whose pods left long ago.
 *
 * A status without volumes alone proves nothing: Kubernetes removes a volume from it before the driver begins to detach
 * that volume. The VolumeAttachments tell which volumes are attached, and those of pods that stay do not count.
 * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/volume/csi/nodeinfomanager/nodeinfomanager.go
 * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/volume/attachdetach/reconciler/reconciler.go
 */
export const takesVolumes = ({
  annotations,
  volumes,
}: Pick<Node, "annotations" | "volumes">): boolean =>
  driversAnnotation in annotations || volumes.length > 0;
