import type { NodeName } from "./ids.ts";

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
