import type * as k8s from "@kubernetes/client-node";

/** The fields of models of client-node that the functions read, by the model's name. */
export type Fields = Readonly<Record<string, readonly string[]>>;

/**
 * The fields in use of the models that have more than that: a function deserialises these, and passes over the others.
 *
 * A model that is not listed keeps all its fields. So does everything that the functions write, such as ConfigMaps: a
 * field that were passed over would be lost with the next write. Only `managedFields` are passed over everywhere, because
 * the API server keeps its own where a write has none.
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#clearing-managedfields
 */
export const fieldsInUse = {
  V1DaemonSet: ["apiVersion", "kind", "metadata"],
  V1EphemeralVolumeSource: [],
  V1Node: ["apiVersion", "kind", "metadata", "spec", "status"],
  V1NodeCondition: ["message", "status", "type"],
  V1NodeSpec: ["providerID", "taints", "unschedulable"],
  V1NodeStatus: ["conditions", "volumesAttached"],
  V1ObjectMeta: [
    "annotations",
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "finalizers",
    "generateName",
    "generation",
    "labels",
    "name",
    "namespace",
    "ownerReferences",
    "resourceVersion",
    "selfLink",
    "uid",
  ],
  V1PersistentVolumeClaim: ["apiVersion", "kind", "metadata", "spec"],
  V1PersistentVolumeClaimSpec: ["volumeName"],
  V1Pod: ["apiVersion", "kind", "metadata", "spec", "status"],
  V1PodCondition: ["status", "type"],
  V1PodSpec: [
    "nodeName",
    "priorityClassName",
    "terminationGracePeriodSeconds",
    "tolerations",
    "volumes",
  ],
  V1PodStatus: ["conditions", "phase", "startTime"],
  V1Volume: ["emptyDir", "ephemeral", "hostPath", "name", "persistentVolumeClaim"],
  V1VolumeAttachment: ["apiVersion", "kind", "metadata", "spec", "status"],
  V1VolumeAttachmentSource: ["persistentVolumeName"],
  V1VolumeAttachmentSpec: ["nodeName", "source"],
  V1VolumeAttachmentStatus: ["attached"],
} as const satisfies {
  readonly V1DaemonSet: readonly (keyof k8s.V1DaemonSet)[];
  readonly V1EphemeralVolumeSource: readonly (keyof k8s.V1EphemeralVolumeSource)[];
  readonly V1Node: readonly (keyof k8s.V1Node)[];
  readonly V1NodeCondition: readonly (keyof k8s.V1NodeCondition)[];
  readonly V1NodeSpec: readonly (keyof k8s.V1NodeSpec)[];
  readonly V1NodeStatus: readonly (keyof k8s.V1NodeStatus)[];
  readonly V1ObjectMeta: readonly (keyof k8s.V1ObjectMeta)[];
  readonly V1PersistentVolumeClaim: readonly (keyof k8s.V1PersistentVolumeClaim)[];
  readonly V1PersistentVolumeClaimSpec: readonly (keyof k8s.V1PersistentVolumeClaimSpec)[];
  readonly V1Pod: readonly (keyof k8s.V1Pod)[];
  readonly V1PodCondition: readonly (keyof k8s.V1PodCondition)[];
  readonly V1PodSpec: readonly (keyof k8s.V1PodSpec)[];
  readonly V1PodStatus: readonly (keyof k8s.V1PodStatus)[];
  readonly V1Volume: readonly (keyof k8s.V1Volume)[];
  readonly V1VolumeAttachment: readonly (keyof k8s.V1VolumeAttachment)[];
  readonly V1VolumeAttachmentSource: readonly (keyof k8s.V1VolumeAttachmentSource)[];
  readonly V1VolumeAttachmentSpec: readonly (keyof k8s.V1VolumeAttachmentSpec)[];
  readonly V1VolumeAttachmentStatus: readonly (keyof k8s.V1VolumeAttachmentStatus)[];
};

const attribute = /^ {4}\{\n {8}"name": "(\w+)",\n(?: {8}.*\n)* {4}\},?\n/gm;

/** The source of a model, reduced to the fields in use; a model that is not listed stays as it is. */
export function trimModel(name: string, source: string, fields: Fields): string {
  const kept = fields[name];
  if (kept === undefined) return source;
  const found = new Set<string>();
  const trimmed = source.replace(attribute, (text, field: string) => {
    found.add(field);
    return kept.includes(field) ? text : "";
  });
  const missing = kept.filter((field) => !found.has(field));
  if (missing.length === 0) return trimmed;
  throw new Error(`model ${name} of client-node has no field ${missing.join(", ")}`);
}
