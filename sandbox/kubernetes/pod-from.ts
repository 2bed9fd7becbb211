import type { Workload } from "./app-resources.ts";
import { pods } from "./core-resources.ts";
import { controllerOf, type Draft, ownedBy, terminating } from "./kube-object.ts";
import type { ObjectStore } from "./object-store.ts";
import type { Pod } from "./pod.ts";

/** A pod as its owner's template describes it. */
export function podFrom(
  owner: Workload,
  name: string,
): Draft<Pod> & { readonly spec: Pod["spec"] } {
  const { metadata = {}, spec } = owner.spec.template;
  return {
    metadata: {
      name,
      generateName: `${owner.metadata.name}-`,
      namespace: owner.metadata.namespace,
      ...metadata,
      ownerReferences: [ownedBy(owner)],
    },
    spec,
  };
}

/** A name for a new pod of an owner, which no other pod has. */
export const freePodName = (
  store: ObjectStore,
  { metadata: { name, namespace } }: Workload,
): string => store.freeName(pods, `${name}-`, namespace);

/** The pods that an object controls. */
export const podsOf = (store: ObjectStore, owner: Workload): readonly Pod[] =>
  store
    .list(pods, owner.metadata.namespace)
    .filter((pod) => controllerOf(pod)?.uid === owner.metadata.uid);

/** Those of them that are not about to go. */
export const livePodsOf = (store: ObjectStore, owner: Workload): readonly Pod[] =>
  podsOf(store, owner).filter((pod) => !terminating(pod));
