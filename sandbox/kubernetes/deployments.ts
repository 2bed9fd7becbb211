import { deployments, replicaSets, type Workload } from "./app-resources.ts";
import { controllerOf, ownedBy, terminating } from "./kube-object.ts";
import { type Machinery, reconcile } from "./machinery.ts";
import { refTo } from "./resource.ts";

/** Keeps one ReplicaSet at the scale of each Deployment; it performs no rollouts. */
export class Deployments {
  readonly #machinery: Machinery;

  constructor(machinery: Machinery) {
    this.#machinery = machinery;
    reconcile(machinery, [deployments, replicaSets], () => this.#work());
  }

  /** Finds or creates the ReplicaSet of a Deployment; a hash of the template is in its name. */
  replicaSetOf(deployment: Workload, hash = this.#machinery.random.suffix(10)): Workload {
    const { store } = this.#machinery;
    const { namespace, name } = deployment.metadata;
    const own = store
      .list(replicaSets, namespace)
      .find((set) => controllerOf(set)?.uid === deployment.metadata.uid);
    if (own !== undefined) return own;
    const { template, selector, replicas } = deployment.spec;
    const labels = { ...template.metadata?.labels, "pod-template-hash": hash };
    return store.create(replicaSets, {
      metadata: {
        name: `${name}-${hash}`,
        namespace,
        labels,
        ownerReferences: [ownedBy(deployment)],
      },
      spec: {
        replicas,
        selector: {
          ...selector,
          matchLabels: { ...selector.matchLabels, "pod-template-hash": hash },
        },
        template: { ...template, metadata: { ...template.metadata, labels } },
      },
    });
  }

  #work(): void {
    const { store } = this.#machinery;
    for (const deployment of store.list(deployments).filter((it) => !terminating(it))) {
      const set = this.replicaSetOf(deployment);
      const { replicas } = deployment.spec;
      const { status } = store.update(refTo(replicaSets, set), (current) => ({
        ...current,
        spec: { ...current.spec, replicas },
      }));
      const told = {
        ...status,
        observedGeneration: deployment.metadata.generation,
        updatedReplicas: status.replicas,
      };
      store.update(refTo(deployments, deployment), (current) => ({ ...current, status: told }));
    }
  }
}
