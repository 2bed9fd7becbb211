import type { Duration } from "../../lambda/base/time.ts";
import type { Timeline } from "../timeline.ts";
import type { Workload } from "./app-resources.ts";
import { pods } from "./core-resources.ts";
import type { Deleter } from "./deletion.ts";
import { terminating } from "./kube-object.ts";
import type { ObjectStore } from "./object-store.ts";
import type { Pod } from "./pod.ts";
import type { Random } from "./random.ts";
import { type Resource, refTo } from "./resource.ts";
import { Wake } from "./wake.ts";

/** Which pods are on which node, kept up to date. */
export class PodsByNode {
  readonly #pods = new Map<string, Map<string, Pod>>();

  constructor(store: ObjectStore) {
    store.subscribe(({ resource, before, after }) => {
      if (resource !== pods) return;
      this.#forget(before as Pod | undefined);
      this.#learn(after as Pod | undefined);
    });
  }

  /** The pods on a node, in the order in which they came. */
  on(node: string): readonly Pod[] {
    return [...(this.#pods.get(node)?.values() ?? [])];
  }

  #learn(pod: Pod | undefined): void {
    const node = pod?.spec.nodeName;
    if (pod === undefined || !node) return;
    const here = this.#pods.get(node) ?? new Map<string, Pod>();
    this.#pods.set(node, here.set(pod.metadata.uid, pod));
  }

  #forget(pod: Pod | undefined): void {
    const node = pod?.spec.nodeName ?? "";
    const here = this.#pods.get(node);
    here?.delete(pod?.metadata.uid ?? "");
    if (here?.size === 0) this.#pods.delete(node);
  }
}

/** The parts that every controller needs. */
export interface Machinery {
  readonly timeline: Timeline;
  readonly store: ObjectStore;
  readonly deleter: Deleter;
  readonly random: Random;
  readonly placed: PodsByNode;
  /** The time until a controller notices a change. */
  readonly reaction: Duration;
}

/** Starts work, and repeats it soon after every change of the given resources. */
export function reconcile(
  { timeline, store, reaction }: Machinery,
  watched: readonly Resource[],
  work: () => void,
): Wake {
  const wake = new Wake(timeline, work);
  store.subscribe(({ resource }) => {
    if (watched.includes(resource)) wake.after(reaction);
  });
  return wake;
}

/** Keeps the workloads of a resource, soon after one of them or of the given resources has changed, and notes their status. */
export function keepWorkloads(
  machinery: Machinery,
  resource: Resource<Workload>,
  watched: readonly Resource[],
  keep: (workload: Workload) => Workload["status"],
): void {
  const { store } = machinery;
  reconcile(machinery, [resource, ...watched], () => {
    for (const workload of store.list(resource).filter((one) => !terminating(one))) {
      const status = keep(workload);
      store.update(refTo(resource, workload), (current) => ({ ...current, status }));
    }
  });
}
