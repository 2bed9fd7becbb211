/** The owner of an object, usually the controller that made it. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** The metadata of every stored object. */
export interface ObjectMeta {
  readonly name: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
}

/** An object of the cluster, in the shape of its JSON. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** An object as its creator describes it, before the API server completes it. */
export type Draft<T extends KubeObject> = Partial<Omit<T, "metadata">> & {
  readonly metadata: Partial<ObjectMeta>;
};

/** One condition of a status. */
export interface StatusCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly observedGeneration?: number;
  readonly lastProbeTime?: null;
  readonly lastHeartbeatTime?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** The owner that controls an object, if any does. */
export const controllerOf = (object: KubeObject): OwnerReference | undefined =>
  object.metadata.ownerReferences?.find((owner) => owner.controller === true);

/** The owner reference in the objects that a controller creates. */
export const ownedBy = (owner: KubeObject): OwnerReference => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: owner.metadata.name,
  uid: owner.metadata.uid,
  controller: true,
  blockOwnerDeletion: true,
});

/** Whether an object is being deleted. */
export const terminating = (object: KubeObject): boolean =>
  object.metadata.deletionTimestamp !== undefined;

/** Whether a finalizer holds an object. */
export const isHeld = ({ metadata }: KubeObject): boolean => (metadata.finalizers ?? []).length > 0;

/** Whether the condition of this type has this status. */
export const hasCondition = (
  conditions: readonly StatusCondition[] | undefined,
  type: string,
  status: StatusCondition["status"],
): boolean => conditions?.some((it) => it.type === type && it.status === status) ?? false;

/** Sets a condition; keeps the transition time if the status stays the same. */
export function withCondition(
  conditions: readonly StatusCondition[] | undefined,
  condition: StatusCondition,
): readonly StatusCondition[] {
  const all = conditions ?? [];
  const at = all.findIndex((it) => it.type === condition.type);
  const before = all[at];
  if (before === undefined) return [...all, condition];
  const since =
    before.status === condition.status ? before.lastTransitionTime : condition.lastTransitionTime;
  return all.with(at, { ...condition, lastTransitionTime: since });
}
