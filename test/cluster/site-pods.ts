import { CoreV1Api, type KubernetesObject, PolicyV1Api, type V1Pod } from "@kubernetes/client-node";
import { vi } from "vitest";
import type { ClusterNode } from "./control-plane-options.ts";
import { pod, podDisruptionBudget, type Workload } from "./manifests.ts";
import type { RealWorld } from "./real-world.ts";

/** How long the tests wait for anything that must happen. */
export const patience = { timeout: 90_000, interval: 50 };

/** A node, and a namespace of its own for its pods. */
export class SitePods {
  readonly world: RealWorld;
  readonly node: ClusterNode;
  /** The name of the node and of the namespace. */
  readonly name: string;

  constructor(world: RealWorld, node: ClusterNode) {
    this.world = world;
    this.node = node;
    this.name = node.name;
  }

  get core(): CoreV1Api {
    return this.world.controlPlane.api(CoreV1Api);
  }

  /** The manifest of a pod that is bound to the node. */
  pod(name: string, workload: Partial<Workload> = {}): V1Pod {
    const spec = { nodeName: this.name, ...workload.spec };
    return pod({ ...workload, name, namespace: this.name, spec });
  }

  /** Applies manifests. */
  apply(...objects: readonly KubernetesObject[]): Promise<void> {
    return this.world.controlPlane.apply(...objects);
  }

  /** Creates pods and waits until they are ready. */
  async run(...pods: readonly V1Pod[]): Promise<void> {
    await this.apply(...pods);
    await this.ready(...pods.map(({ metadata }) => metadata?.name ?? ""));
  }

  /** Waits until pods of these names are ready on the node. */
  async ready(...names: readonly string[]): Promise<void> {
    await vi.waitFor(async () => {
      const up = (await this.pods()).filter(isReady).map(nameOf);
      const missing = names.filter((name) => !up.includes(name));
      if (missing.length > 0) throw new Error(`${this.name}: not ready: ${missing.join(", ")}`);
    }, patience);
  }

  /** Waits until so many pods of a workload are ready. */
  async settled(app: string, count: number): Promise<void> {
    await vi.waitFor(async () => {
      const labelSelector = `app=${app}`;
      const { items } = await this.core.listNamespacedPod({ namespace: this.name, labelSelector });
      if (items.filter(isReady).length !== count)
        throw new Error(`${this.name}: ${app} not settled`);
    }, patience);
  }

  /** Waits until a pod with this name and another UID is ready. */
  async replaced(name: string, uid: string | undefined): Promise<void> {
    await vi.waitFor(async () => {
      const another = await this.read(name);
      if (another.metadata?.uid === uid || !isReady(another))
        throw new Error(`${this.name}: ${name} not replaced`);
    }, patience);
  }

  /** The UIDs of the pods of the namespace, by name. */
  async uids(): Promise<Readonly<Record<string, string>>> {
    const pods = await this.pods();
    return Object.fromEntries(pods.map((it) => [nameOf(it), it.metadata?.uid ?? ""]));
  }

  /** The pods of the namespace, wherever they are. */
  async pods(): Promise<readonly V1Pod[]> {
    const { items } = await this.core.listNamespacedPod({ namespace: this.name });
    return items;
  }

  /** The only pod of a name. */
  async read(name: string): Promise<V1Pod> {
    return this.core.readNamespacedPod({ name, namespace: this.name });
  }

  /** Forbids evictions of an app's pods by a budget. */
  holdBack(app: string, name = "hold"): Promise<void> {
    const allows = { maxUnavailable: 0 };
    return this.apply(podDisruptionBudget({ name, namespace: this.name, app, allows }));
  }

  readonly #letGo: string[] = [];

  /** The budgets that were taken away. */
  get budgetsTaken(): readonly string[] {
    return this.#letGo;
  }

  /** Allows their evictions again. */
  async letGo(name = "hold"): Promise<void> {
    this.#letGo.push(name);
    const policy = this.world.controlPlane.api(PolicyV1Api);
    await policy.deleteNamespacedPodDisruptionBudget({ name, namespace: this.name });
  }
}

/** The name of a pod. */
export const nameOf = ({ metadata }: V1Pod): string => metadata?.name ?? "";

const isReady = ({ metadata, status }: V1Pod): boolean =>
  metadata?.deletionTimestamp === undefined &&
  (status?.conditions ?? []).some((it) => it.type === "Ready" && it.status === "True");
