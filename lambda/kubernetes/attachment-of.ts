import type { V1VolumeAttachment } from "@kubernetes/client-node";
import { nodeName } from "../base/ids.ts";
import type { Attachment } from "../drain/attachment.ts";
import type { AsSent } from "./as-sent.ts";

/** Reads a VolumeAttachment of the Kubernetes API; only an attachment that is being deleted stays detached. */
export const attachmentOf = ({
  metadata = {},
  spec,
  status,
}: AsSent<V1VolumeAttachment>): Attachment => ({
  name: metadata.name ?? "",
  node: nodeName(spec.nodeName),
  volume: spec.source.persistentVolumeName ?? "",
  state:
    status?.attached === false && metadata.deletionTimestamp !== undefined
      ? "detached"
      : "attached",
});
