import type { V1ObjectMeta } from "@kubernetes/client-node";
import { productName } from "../../base/contract.ts";
import { tryInstantOf } from "../../base/time.ts";
import { tryJson } from "../../base/try-json.ts";
import {
  changesBy,
  countsAt,
  isMarked,
  recordAnnotation,
  recordLabel,
} from "../../making-room/record.ts";
import { groupPathIn } from "../api-path.ts";
import type { AsSent } from "../as-sent.ts";

/** Where each kind is, and which field of its spec counts. */
export const kinds = {
  Deployment: ["apps/v1", "deployments", "replicas"],
  ReplicaSet: ["apps/v1", "replicasets", "replicas"],
  HorizontalPodAutoscaler: ["autoscaling/v2", "horizontalpodautoscalers", "minReplicas"],
  ScaledObject: ["keda.sh/v1alpha1", "scaledobjects", "minReplicaCount"],
} as const;

export type CountingKind = keyof typeof kinds;

export const countingPath = (kind: CountingKind, namespace: string, name: string): string =>
  groupPathIn(kinds[kind][0], namespace, kinds[kind][1], name);

/** Reads what all kinds that count pods have in common. */
export function countingOf<K extends CountingKind>(kind: K, metadata: AsSent<V1ObjectMeta> = {}) {
  const { namespace = "", name = "", uid = "", resourceVersion = "" } = metadata;
  const { labels = {}, annotations: all = {}, managedFields = [] } = metadata;
  const { [recordAnnotation]: record = "", ...others } = all;
  const { [recordLabel]: label = "" } = labels;
  const isOwn = isRecordedByUs(managedFields) && countsAt(record, { label, uid });
  const annotations = isOwn ? all : others;
  const writers = managedFields.filter(
    ({ fieldsV1 }) => `f:${kinds[kind][2]}` in Object(Object(fieldsV1 ?? {})["f:spec"] ?? {}),
  );
  const managers = writers.map(({ manager = "", subresource = "" }) =>
    subresource === "" ? manager : `${manager}/${subresource}`,
  );
  const own = writers[managers.indexOf(productName)];
  const counted = tryInstantOf(own?.time ?? "") ?? [];
  const changes = [changesBy(record, label), counted].flat();
  return {
    kind,
    namespace,
    name,
    uid,
    resourceVersion,
    annotations,
    isLabelled: isMarked(record, { label, uid }),
    isDeclared: isDeclared(metadata),
    managers,
    changes,
  };
}

// What `kubectl apply` has applied, as JSON.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

function isDeclared({ annotations = {}, managedFields = [] }: AsSent<V1ObjectMeta>): boolean {
  const { metadata } = Object(tryJson(annotations[lastApplied] ?? ""));
  const { annotations: applied, labels } = Object(metadata);
  const isApplied = recordAnnotation in Object(applied) || recordLabel in Object(labels);
  return (
    isApplied ||
    managedFields.some(
      ({ operation, fieldsV1 }) =>
        operation === "Apply" &&
        (`f:${recordAnnotation}` in ownedIn("annotations", fieldsV1) ||
          `f:${recordLabel}` in ownedIn("labels", fieldsV1)),
    )
  );
}

/** The keys of an object's annotations or labels that an entry of `managedFields` names. */
const ownedIn = (map: "annotations" | "labels", fields: object = {}): object =>
  Object(Object(Object(fields)["f:metadata"] ?? {})[`f:${map}`] ?? {});

// Of more than ten that have updated an object, the API server puts the oldest together under the second name; the third stands for all
// that were nobody's when somebody first applied it server-side.
const recorders = [productName, "ancient-changes", "before-first-apply"];

/**
 * Whether a record is as one of us has written it, as far as the API server remembers who has written annotations: `kubectl rollout undo` brings
 * those of older surges back. lambda/rights/room-fence.yaml asks this, too.
 */
function isRecordedByUs(managedFields: NonNullable<AsSent<V1ObjectMeta>["managedFields"]>) {
  const writers = managedFields.filter(
    ({ fieldsV1 }) => `f:${recordAnnotation}` in ownedIn("annotations", fieldsV1),
  );
  return writers.length === 0 || writers.some(({ manager = "" }) => recorders.includes(manager));
}
