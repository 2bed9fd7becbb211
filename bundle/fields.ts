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
  V1NodeCondition: ["lastTransitionTime", "message", "status", "type"],
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
} as const satisfies FieldsOfModels;

/** Of each model of client-node some of its fields. */
type FieldsOfModels = {
  readonly [M in keyof Models]?: Models[M] extends new () => infer T ? readonly (keyof T)[] : never;
};
type Models = typeof k8s;

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
