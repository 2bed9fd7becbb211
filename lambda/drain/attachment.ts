import type { NodeName } from "../base/ids.ts";

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
