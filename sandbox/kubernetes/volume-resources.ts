import type { Resource } from "./resource.ts";
import { usual } from "./usual-resource.ts";
import type { PersistentVolume, PersistentVolumeClaim, VolumeAttachment } from "./volume.ts";

/** PersistentVolumes. */
export const persistentVolumes: Resource<PersistentVolume> = {
  ...usual,
  returnsDeleted: true,
  plural: "persistentvolumes",
  kind: "PersistentVolume",
  namespaced: false,
  generation: false,
  nothing: { spec: {}, status: {} },
};

/** PersistentVolumeClaims. */
export const persistentVolumeClaims: Resource<PersistentVolumeClaim> = {
  ...usual,
  returnsDeleted: true,
  plural: "persistentvolumeclaims",
  kind: "PersistentVolumeClaim",
  generation: false,
  nothing: { spec: { resources: {} }, status: {} },
};

/** VolumeAttachments. */
export const volumeAttachments: Resource<VolumeAttachment> = {
  ...usual,
  returnsDeleted: true,
  group: "storage.k8s.io",
  plural: "volumeattachments",
  kind: "VolumeAttachment",
  namespaced: false,
  generation: false,
  nothing: { spec: { attacher: "", source: {}, nodeName: "" }, status: { attached: false } },
  complete: (draft) => ({ ...draft, status: draft.status ?? { attached: false } }),
};
