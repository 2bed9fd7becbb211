import {
  CoreV1Api,
  PolicyV1Api,
  type V1Node,
  type V1Pod,
  type V1PodDisruptionBudget,
} from "@kubernetes/client-node";
import { vi } from "vitest";
import { type NodeName, nodeName } from "../../lambda/base/ids.ts";
import { Wakeup } from "../../lambda/base/wakeup.ts";
import type { DrainView } from "../../lambda/drain/drain.port.ts";
import type { Node } from "../../lambda/drain/node.ts";
import type { Pod } from "../../lambda/drain/pod.ts";
import type { KubeCluster } from "../../lambda/kubernetes/kube-cluster.ts";
import { podOf } from "../../lambda/kubernetes/pod-of.ts";
import { pod, type Workload } from "../cluster/manifests.ts";
import { kubeObject } from "../kubernetes/kube-object.ts";
import { theFunction } from "./identities.ts";
import type { Stage } from "./stage.ts";

/** How long a case waits for what must happen. */
export const patience = { timeout: 60_000, interval: 50 };

let scenes = 0;

/** The function's view of a node's pods. */
export interface Following {
  readonly node: NodeName;
  readonly view: DrainView;
  readonly wakeup: Wakeup;
}

/** One case's own namespace, with what the case makes and reads there. */
export class Scene {
  readonly stage: Stage;
  /** The cluster as the function accesses it. */
  readonly cluster: KubeCluster;
  readonly namespace: string;
  readonly #views: DrainView[] = [];

  private constructor(stage: Stage, namespace: string) {
    this.stage = stage;
    this.cluster = stage.caller(theFunction.role).cluster;
    this.namespace = namespace;
  }

  static async set(stage: Stage): Promise<Scene> {
    scenes += 1;
    const scene = new Scene(stage, `scene-${scenes}`);
    await stage.namespace(scene.namespace);
    return scene;
  }

  get core(): CoreV1Api {
    return this.stage.administrator.api(CoreV1Api);
  }

  /** The manifest of a pod here, on the first node by default. */
  manifest(name: string, workload: Partial<Workload> = {}) {
    const [first] = this.stage.nodes;
    const spec = { nodeName: first, ...workload.spec };
    return pod({ ...workload, name, namespace: this.namespace, spec });
  }

  /** Makes a pod and waits until it runs. */
  async running(name: string, workload: Partial<Workload> = {}): Promise<Pod> {
    await this.stage.administrator.make(this.manifest(name, workload));
    return this.until(name, ({ phase }) => phase === "Running");
  }

  /** Makes a pod that a finalizer holds, and waits until it runs. */
  async held(name: string, workload: Partial<Workload> = {}): Promise<Pod> {
    const manifest = this.manifest(name, workload);
    const metadata = { ...manifest.metadata, finalizers: ["example.com/hold"] };
    await this.stage.administrator.make({ ...manifest, metadata });
    return this.until(name, ({ phase }) => phase === "Running");
  }

  /** Takes a pod's finalizers away. */
  async release(name: string): Promise<void> {
    await this.stage.administrator.change(this.manifest(name), { metadata: { finalizers: null } });
  }

  /** Makes a pod on a node where nothing ever starts. */
  async pending(name: string, workload: Partial<Workload> = {}): Promise<Pod> {
    const { name: nowhere } = await this.node();
    const spec = { nodeName: nowhere, ...workload.spec };
    await this.stage.administrator.make(this.manifest(name, { ...workload, spec }));
    return this.until(name, () => true);
  }

  /** A pod, once it is as wanted. */
  until(name: string, wanted: (pod: Pod) => boolean): Promise<Pod> {
    return vi.waitFor(async () => {
      const found = await this.read(name);
      if (found !== "absent" && wanted(found)) return found;
      throw new Error(`${name} is ${JSON.stringify(found)}`);
    }, patience);
  }

  /** Waits until there is no pod of this name. */
  async gone(name: string): Promise<void> {
    await vi.waitFor(async () => {
      if ((await this.read(name)) !== "absent") throw new Error(`${name} is still there`);
    }, patience);
  }

  async read(name: string): Promise<Pod | "absent"> {
    const { items } = await this.core.listNamespacedPod({
      namespace: this.namespace,
      fieldSelector: `metadata.name=${name}`,
    });
    return items.map((pod) => podOf(kubeObject<V1Pod>(pod)))[0] ?? "absent";
  }

  /** All pods here. */
  async all(): Promise<readonly Pod[]> {
    const { items } = await this.core.listNamespacedPod({ namespace: this.namespace });
    return items.map((pod) => podOf(kubeObject<V1Pod>(pod)));
  }

  /** Makes a node without an EC2 instance, and reads it. */
  async node(more: Partial<V1Node> = {}): Promise<Node> {
    scenes += 1;
    const name = more.metadata?.name ?? `paper-${scenes}`;
    const manifest = { apiVersion: "v1", kind: "Node", ...more };
    await this.stage.administrator.make({ ...manifest, metadata: { ...more.metadata, name } });
    return this.readNode(name);
  }

  async readNode(name: string): Promise<Node> {
    const found = await this.cluster.node(nodeName(name));
    if (found === "absent") throw new Error(`no node ${name}`);
    return found;
  }

  /** Follows a node's pods until the end of the scene. */
  async follow(node: NodeName): Promise<Following> {
    const wakeup = new Wakeup();
    const view = await this.cluster.follow(node, wakeup);
    this.#views.push(view);
    return { node, view, wakeup };
  }

  close(): void {
    for (const view of this.#views) view.close();
  }

  /** Makes a budget for the pods whose label `app` is its name, and waits until it is observed. */
  async budget(name: string, spec: V1PodDisruptionBudget["spec"], pods: number): Promise<void> {
    await this.stage.administrator.make(this.budgetManifest(name, spec));
    const policy = this.stage.administrator.api(PolicyV1Api);
    await vi.waitFor(async () => {
      const { namespace } = this;
      const { status } = await policy.readNamespacedPodDisruptionBudget({ name, namespace });
      if (status?.expectedPods !== pods) throw new Error(`${name} expects ${status?.expectedPods}`);
    }, patience);
  }

  budgetManifest(name: string, spec: V1PodDisruptionBudget["spec"]): V1PodDisruptionBudget {
    return {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name, namespace: this.namespace },
      spec: { selector: { matchLabels: { app: name } }, ...spec },
    };
  }
}
