import { milliseconds, minutes } from "../../lambda/base/time.ts";
import type { Cancel, Timeline } from "../timeline.ts";
import { ApiServer } from "./api/api-server.ts";
import type { AuditEvent } from "./api/audit-trail.ts";
import { everybodyIsAdmin } from "./api/authenticator.ts";
import { everythingIsAllowed } from "./api/authorizer.ts";
import type { KubeRequest, KubeResponse } from "./api/exchange.ts";
import type { FaultMatch, FaultPlan, KubeFault } from "./api/planned-faults.ts";
import { daemonSets, deployments, statefulSets, type Workload } from "./app-resources.ts";
import { type BudgetOptions, budgetDraft, budgets, type PodDisruptionBudget } from "./budget.ts";
import type { ClusterOptions } from "./cluster-options.ts";
import { ControllerManager } from "./controller-manager.ts";
import { type ConfigMap, configMaps, namespaces, nodes, pods } from "./core-resources.ts";
import { daemonPod } from "./daemon-sets.ts";
import { Deleter } from "./deletion.ts";
import { replicaSetOf } from "./deployments.ts";
import type { Draft, KubeObject, StatusCondition } from "./kube-object.ts";
import { PodsByNode } from "./machinery.ts";
import { type Node, type NodeOptions, nodeDraft } from "./node.ts";
import { ObjectStore } from "./object-store.ts";
import type { Pod } from "./pod.ts";
import {
  type PodOptions,
  podDraft,
  settled,
  type WorkloadOptions,
  workloadDraft,
} from "./pod-draft.ts";
import { podFrom } from "./pod-from.ts";
import { Random } from "./random.ts";
import type { Resource } from "./resource.ts";
import {
  type AttachmentOptions,
  attachmentDraft,
  claimDraft,
  type VolumeOptions,
  volumeDraft,
  withDriver,
  withVolume,
} from "./volume-drafts.ts";
import {
  persistentVolumeClaims,
  persistentVolumes,
  type VolumeAttachment,
  volumeAttachments,
} from "./volume-resources.ts";

/**
 * A Kubernetes cluster in memory.
 *
 * It does what a drain can see of the API server, the controllers and the kubelets.
 */
export class SandboxCluster {
  readonly store: ObjectStore;
  readonly #timeline: Timeline;
  readonly #manager: ControllerManager;
  readonly #server: ApiServer;
  readonly #random: Random;

  constructor(timeline: Timeline, options: ClusterOptions = {}) {
    const random = new Random(options.seed ?? 1);
    const store = new ObjectStore(timeline, random, options.history ?? minutes(5));
    const deleter = new Deleter(store, () => timeline.now());
    const reaction = options.reaction ?? milliseconds(100);
    const { authenticator = everybodyIsAdmin, authorizer = everythingIsAllowed } = options;
    this.store = store;
    this.#timeline = timeline;
    this.#random = random;
    this.#manager = new ControllerManager(
      { timeline, store, deleter, random, reaction, placed: new PodsByNode(store) },
      options,
    );
    this.#server = new ApiServer({ timeline, store, deleter, random, authenticator, authorizer });
    for (const name of ["default", "kube-system", "kube-public", "kube-node-lease"]) {
      this.addNamespace(name);
    }
  }

  /** Answers a request as the API server does. */
  handle(request: KubeRequest): Promise<KubeResponse> {
    return this.#server.handle(request);
  }

  /** Every answered request, as in the audit log. */
  get audit(): readonly AuditEvent[] {
    return this.#server.trail.events;
  }

  /** Plans a fault for the next requests that match, until it is called off. */
  failNext(match: FaultMatch, fault: KubeFault, plan?: FaultPlan): Cancel {
    return this.#server.faults.plan(match, fault, plan);
  }

  addNamespace(name: string): void {
    const ref = { resource: namespaces, name };
    if (this.store.tryGet(ref) === undefined) this.store.create(namespaces, { metadata: { name } });
  }

  /** Adds a node and starts its kubelet, as when an EC2 instance joins. */
  addNode(options: NodeOptions): Node {
    const node = this.store.create(
      nodes,
      nodeDraft({ ...options, bootID: this.#random.uuid() }, this.#timeline.now()),
    );
    this.#manager.startKubelet(options.name);
    return node;
  }

  /**
   * Removes a node with its kubelet, as when its EC2 instance is gone.
   *
   * The pod garbage collector removes the pods that are left.
   */
  removeNode(name: string): void {
    const ref = { resource: nodes, name };
    this.#manager.endKubelet(name);
    if (this.store.tryGet(ref) !== undefined) this.store.remove(ref);
  }

  /** Stops the kubelet of a node: it neither reports nor works. */
  stopKubelet(node: string): void {
    this.#manager.stopKubelet(node);
  }

  /** Lets the kubelet of a node continue where it stopped. */
  resumeKubelet(node: string): void {
    this.#manager.resumeKubelet(node);
  }

  /** Starts the kubelet of a node on a machine that has just booted. */
  bootNode(name: string): void {
    const bootID = this.#random.uuid();
    this.store.update({ resource: nodes, name }, (node) => ({
      ...node,
      status: { ...node.status, nodeInfo: { ...node.status.nodeInfo, bootID } },
    }));
    this.resumeKubelet(name);
  }

  /** Sets a condition of a node, as an agent on it does, whose clock says this. */
  setCondition(
    node: string,
    condition: Omit<StatusCondition, "lastTransitionTime">,
    clock = this.#timeline.now(),
  ): void {
    this.#manager.nodeLifecycle.set(node, condition, clock);
  }

  /** Lets a kubelet report its node ready or not ready. */
  reportNode(name: string, state: "ready" | "not-ready"): void {
    this.#manager.nodeLifecycle.report(name, state);
  }

  addPod(options: PodOptions): Pod {
    return this.#create(pods, podDraft(options, this.#timeline.now()));
  }

  /** Adds a Deployment with its ReplicaSet, whose name ends in `hash`. */
  addDeployment(options: WorkloadOptions & { readonly hash?: string }): Workload {
    const draft = workloadDraft({ replicas: 1, ...options });
    const deployment = this.#create(deployments, draft);
    const set = replicaSetOf({ store: this.store, random: this.#random }, deployment, options.hash);
    this.#settle(options, (name) => podFrom(set, name));
    return deployment;
  }

  addStatefulSet(options: WorkloadOptions): Workload {
    const draft = workloadDraft({ replicas: 1, ...options });
    const set = this.#create(statefulSets, draft);
    this.#settle(options, (name) => podFrom(set, name));
    return set;
  }

  addDaemonSet(options: Omit<WorkloadOptions, "replicas">): Workload {
    const set = this.#create(daemonSets, workloadDraft(options));
    this.#settle(options, (name, node) => daemonPod(set, node, name));
    return set;
  }

  addBudget(options: BudgetOptions): PodDisruptionBudget {
    return this.#create(budgets, budgetDraft(options));
  }

  /** Stops the disruption controller: it does not observe budgets that change from now on. */
  holdBudgets(): void {
    this.#manager.disruption.hold();
  }

  /** Lets the disruption controller catch up. */
  releaseBudgets(): void {
    this.#manager.disruption.release();
  }

  addConfigMap(draft: Draft<ConfigMap>): ConfigMap {
    return this.#create(configMaps, draft);
  }

  /** Adds a claim and its volume. */
  addVolume(options: VolumeOptions): void {
    this.#create(persistentVolumeClaims, claimDraft(options));
    this.#create(persistentVolumes, volumeDraft(options));
  }

  /** Adds a VolumeAttachment, and annotates its node with the volume driver's ID for the node. */
  addVolumeAttachment(options: AttachmentOptions): VolumeAttachment {
    const ref = { resource: nodes, name: options.node };
    if (this.store.tryGet(ref) !== undefined) this.store.update(ref, withDriver);
    if (options.name === undefined && options.volume !== undefined)
      this.listVolume(options.node, options.volume, "add");
    return this.#create(volumeAttachments, attachmentDraft(options));
  }

  /** Lists a volume in a node's status, or takes it out, if the node is still there. */
  listVolume(node: string, volume: string, change: "add" | "remove"): void {
    const ref = { resource: nodes, name: node };
    if (this.store.tryGet(ref) !== undefined) this.store.update(ref, withVolume(volume, change));
  }

  /** Removes a VolumeAttachment, as when the driver has detached the volume. */
  detachVolume(name: string): void {
    const ref = { resource: volumeAttachments, name };
    const { nodeName, source } = this.store.get(ref).spec;
    this.store.remove(ref);
    this.listVolume(nodeName, source.persistentVolumeName ?? "", "remove");
  }

  #settle(
    { pods: placed = [] }: Pick<WorkloadOptions, "pods">,
    draft: (name: string, node: string) => Draft<Pod>,
  ): void {
    const now = this.#timeline.now();
    for (const { name, node } of placed) {
      this.store.create(pods, settled(draft(name, node), node, now));
    }
  }

  #create<T extends KubeObject>(resource: Resource<T>, draft: Draft<T>): T {
    const { namespace } = draft.metadata;
    if (namespace !== undefined) this.addNamespace(namespace);
    return this.store.create(resource, draft);
  }
}
