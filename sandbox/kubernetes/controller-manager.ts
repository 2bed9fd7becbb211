import { type Duration, seconds } from "../../lambda/base/time.ts";
import type { ClusterOptions } from "./cluster-options.ts";
import { pods } from "./core-resources.ts";
import { keepDaemonSets } from "./daemon-sets.ts";
import { keepAutoscalers, keepDeployments } from "./deployments.ts";
import { Disruption } from "./disruption.ts";
import { Kubelet } from "./kubelet.ts";
import type { Machinery } from "./machinery.ts";
import { NodeLifecycle } from "./node-lifecycle.ts";
import type { Pod } from "./pod.ts";
import { collectPods } from "./pod-garbage.ts";
import { keepReplicaSets } from "./replica-sets.ts";
import { schedulePods } from "./scheduler.ts";
import { keepStatefulSets } from "./stateful-sets.ts";
import { evictByTaints } from "./taint-eviction.ts";

/** Runs the controllers, the scheduler and the kubelets of the cluster. */
export class ControllerManager {
  readonly disruption: Disruption;
  readonly nodeLifecycle: NodeLifecycle;
  readonly #machinery: Machinery;
  readonly #podStart: Duration;
  readonly #kubelets = new Map<string, Kubelet>();

  constructor(machinery: Machinery, { podStart, monitorGrace }: ClusterOptions) {
    this.#machinery = machinery;
    machinery.store.subscribe(({ resource, after }) => {
      if (resource === pods)
        this.#kubelets.get((after as Pod | undefined)?.spec.nodeName ?? "")?.look();
    });
    this.#podStart = podStart ?? seconds(1);
    keepDeployments(machinery);
    this.disruption = new Disruption(machinery);
    this.nodeLifecycle = new NodeLifecycle(machinery, monitorGrace ?? seconds(40));
    for (const run of [
      keepReplicaSets,
      keepStatefulSets,
      keepDaemonSets,
      keepAutoscalers,
      schedulePods,
      evictByTaints,
      collectPods,
    ])
      run(machinery);
  }

  /** Starts the kubelet of a node. */
  startKubelet(node: string): void {
    this.#kubelets.get(node)?.stop();
    this.#kubelets.set(node, new Kubelet(node, this.#machinery, this.#podStart));
  }

  /**
   * Silences the kubelet of a node, which leaves its pods as they are.
   *
   * After the monitor grace the conditions of the node become `Unknown`.
   */
  stopKubelet(node: string): void {
    this.#kubelets.get(node)?.stop();
    this.nodeLifecycle.silence(node);
  }

  /** Lets the kubelet of a node work again. */
  resumeKubelet(node: string): void {
    this.#kubelets.get(node)?.resume();
    this.nodeLifecycle.hear(node);
  }

  /** Removes the kubelet of a node whose EC2 instance is gone. */
  endKubelet(node: string): void {
    this.#kubelets.get(node)?.stop();
    this.#kubelets.delete(node);
    this.nodeLifecycle.forget(node);
  }
}
