import { createHash } from "node:crypto";
import type { NodeName } from "../base/ids.ts";

const csiVolume = /^kubernetes\.io\/csi\/([^^]+)\^(.+)$/;

/**
 * The name of the VolumeAttachment of a volume that a node's status lists; undefined unless a CSI driver attached the
 * volume. The attach/detach controller derives the name from the volume's handle, its driver and the node.
 * @see https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/volume/csi/csi_attacher.go (getAttachmentName)
 */
export function tryAttachmentName(volume: string, node: NodeName): string | undefined {
  const [, driver, handle] = csiVolume.exec(volume) ?? [];
  if (driver === undefined || handle === undefined) return undefined;
  return `csi-${createHash("sha256").update(`${handle}${driver}${node}`).digest("hex")}`;
}
