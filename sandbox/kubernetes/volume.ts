import type { KubeObject } from "./kube-object.ts";

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
}
