import type { NodeName } from "../base/ids.ts";

/** EC2 attaches 128 volumes to an instance at the most. The kubelet of a node may list any number. */
export const mostVolumes = 256;

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
