import { seconds } from "../../lambda/base/time.ts";
import { autoscalers, deployments } from "./app-resources.ts";
import type { Machinery } from "./machinery.ts";
import { Wake } from "./wake.ts";

// The default of the controller manager's --horizontal-pod-autoscaler-sync-period.
const sync = seconds(15);

/** Keeps the count of each Deployment within the bounds of its autoscaler; there are no metrics, so that it judges by nothing else. */
export class Autoscalers {
  readonly #machinery: Machinery;
  readonly #wake: Wake;

  constructor(machinery: Machinery) {
    this.#machinery = machinery;
    this.#wake = new Wake(machinery.timeline, () => this.#work());
    machinery.store.subscribe(({ resource }) => {
      if (resource === autoscalers) this.#wake.after(sync);
    });
  }

  #work(): void {
    const { store } = this.#machinery;
    for (const { metadata, spec } of store.list(autoscalers)) {
      const { namespace } = metadata;
      const ref = { resource: deployments, namespace, name: spec.scaleTargetRef.name };
      const replicas = store.tryGet(ref)?.spec.replicas ?? 0;
      const bounded = Math.min(spec.maxReplicas, Math.max(spec.minReplicas ?? 1, replicas));
      if (replicas > 0 && bounded !== replicas)
        store.update(ref, (current) => ({
          ...current,
          spec: { ...current.spec, replicas: bounded },
        }));
    }
    if (store.list(autoscalers).length > 0) this.#wake.after(sync);
  }
}
