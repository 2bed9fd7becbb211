import type { KubeObject } from "./kube-object.ts";
import { type Resource, usual } from "./resource.ts";

/** The attachment of a volume to a node. */
export interface VolumeAttachment extends KubeObject {
  readonly spec: {
    readonly attacher: string;
    readonly nodeName: string;
    readonly source: { readonly persistentVolumeName?: string };
  };
  readonly status: { readonly attached: boolean };
}

/** A volume of the cluster. */
export interface PersistentVolume extends KubeObject {
  readonly spec: {
    readonly claimRef?: { readonly namespace: string; readonly name: string };
    readonly [field: string]: unknown;
  };
}

/** A pod's claim to a volume. */
export interface PersistentVolumeClaim extends KubeObject {
  readonly spec: { readonly volumeName?: string; readonly [field: string]: unknown };
  readonly status: { readonly phase?: "Pending" | "Bound" | "Lost" };
}

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
