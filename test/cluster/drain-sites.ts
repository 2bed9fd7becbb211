import { CoreV1Api, PolicyV1Api, type V1Pod, type V1PodSpec } from "@kubernetes/client-node";
import { vi } from "vitest";
import type { Dated } from "../../journal/entry.ts";
import { tryReadEntry } from "../../journal/entry-schema.ts";
import type { Outcome } from "../../journal/outcome.ts";
import { seconds } from "../../lambda/base/time.ts";
import type { ClusterNode } from "./control-plane-options.ts";
import { namespace, pod, podDisruptionBudget, type Workload } from "./manifests.ts";
import { type PodRequest, podRequests } from "./pod-requests.ts";
import { type RealWorld, type RealWorldOptions, startRealWorld } from "./real-world.ts";

/** How long the tests wait for anything that must happen. */
export const patience = { timeout: 90_000, interval: 50 };

/** The most drains at once: each has an invocation of its own, so that none waits for another's pass. */
export const mostAtOnce = 10;

const mapping = {
  batchSize: 1,
  window: seconds(0),
  maximumConcurrency: mostAtOnce,
  responses: "report-batch-item-failures",
} as const;

/** Restricts the scheduler to some nodes. */
export const onlyOn = (...nodes: readonly string[]): Partial<V1PodSpec> => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          {
            matchExpressions: [
              { key: "kubernetes.io/hostname", operator: "In", values: [...nodes] },
            ],
          },
        ],
      },
    },
  },
});

/** How a drain ended, and what was on the node at that moment. */
export interface Drained {
  readonly outcome: Outcome;
  /** The site's pods on the node just after the release of the instance. */
  readonly stayed: readonly string[];
  /** The function's requests for the site's pods that were granted, in the order of their answers. */
  readonly granted: readonly PodRequest[];
}

/** A node that will be drained, in a group of its own, and a namespace with the node's name for its pods. */
export class DrainSite {
  readonly world: RealWorld;
  readonly node: ClusterNode;

  constructor(world: RealWorld, node: ClusterNode) {
    this.world = world;
    this.node = node;
  }

  /** The name of the node and of the namespace. */
  get name(): string {
    return this.node.name;
  }

  get core(): CoreV1Api {
    return this.world.controlPlane.api(CoreV1Api);
  }

  /** Runs a pod on the node, and waits until it is ready. */
  async run(name: string, workload: Partial<Workload> = {}): Promise<void> {
    const spec = { nodeName: this.name, ...workload.spec };
    await this.world.controlPlane.apply(pod({ ...workload, name, namespace: this.name, spec }));
    await this.settled(name, 1);
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

  /** The pods of the namespace, wherever they are. */
  async pods(): Promise<readonly V1Pod[]> {
    return (await this.core.listNamespacedPod({ namespace: this.name })).items;
  }

  /** Forbids evictions of an app's pods by a budget, or all but so many at a time. */
  holdBack(app: string, maxUnavailable = 0): Promise<void> {
    const budget = { name: "hold", namespace: this.name, app, allows: { maxUnavailable } };
    return this.world.controlPlane.apply(podDisruptionBudget(budget));
  }

  /** Allows their evictions again. */
  async letGo(): Promise<void> {
    const policy = this.world.controlPlane.api(PolicyV1Api);
    await policy.deleteNamespacedPodDisruptionBudget({ name: "hold", namespace: this.name });
  }

  terminate(): void {
    this.world.terminate(this.node.instanceId);
  }

  /** Waits for the end of the drain. */
  async drained(): Promise<Drained> {
    const { instanceId } = this.node;
    await this.world.released(instanceId);
    const stayed = (await this.pods()).filter(({ spec }) => spec?.nodeName === this.name);
    const { outcome } = await vi.waitFor(() => {
      const [done] = this.told("notice-done").filter(({ instance }) => instance === instanceId);
      if (done === undefined) throw new Error(`${this.name}: not done`);
      return done;
    }, patience);
    const names = stayed.map(({ metadata }) => metadata?.name ?? "");
    return { outcome, stayed: names.toSorted(), granted: await this.granted() };
  }

  /** The function's requests for the pods that were granted so far. */
  async granted(): Promise<readonly PodRequest[]> {
    const entries = await this.world.controlPlane.audit({ userAgent: "eks-node-lifecycle/" });
    return podRequests(entries, this.name).filter(({ code }) => code < 400);
  }

  /** The function's journal entries of one kind about the site. */
  told<Kind extends Dated["kind"]>(kind: Kind): readonly Extract<Dated, { kind: Kind }>[] {
    const own = new RegExp(`\\b${this.name}\\b|${this.node.instanceId}`);
    return this.world.log
      .filter((line) => own.test(line))
      .flatMap((line) => tryReadEntry(line) ?? [])
      .filter((entry): entry is Extract<Dated, { kind: Kind }> => entry.kind === kind);
  }

  /** Waits for a journal entry about the site. */
  async until<Kind extends Dated["kind"]>(kind: Kind): Promise<Extract<Dated, { kind: Kind }>> {
    return vi.waitFor(() => {
      const [entry] = this.told(kind);
      if (entry === undefined) throw new Error(`${this.name}: nothing of ${kind}`);
      return entry;
    }, patience);
  }
}

/** Whether a pod is ready, and not about to end. */
const isReady = ({ metadata, status }: V1Pod): boolean =>
  metadata?.deletionTimestamp === undefined &&
  (status?.conditions ?? []).some((it) => it.type === "Ready" && it.status === "True");

/** Starts a world with a site for each name, whose group has these tags, and with further nodes that stay. */
export async function startSites<Name extends string>(
  tags: Readonly<Record<Name, Readonly<Record<string, string>>>>,
  {
    staying,
    ...options
  }: Pick<RealWorldOptions, "env" | "settings" | "timeout"> & {
    readonly staying: readonly string[];
  },
) {
  const names = Object.keys(tags) as Name[];
  const nodes = [...names, ...staying].map((name, index) => ({
    name: `at-${name}`,
    instanceId: `i-${String(index + 1).padStart(17, "0")}`,
    zone: "eu-west-1a",
  }));
  const world = await startRealWorld({
    ...options,
    mapping,
    group: "staying",
    nodes: nodes.slice(names.length),
    groups: names.map((name, index) => ({
      name: `at-${name}`,
      nodes: nodes.slice(index, index + 1),
      tags: tags[name],
    })),
  });
  const sites = nodes.map((node) => new DrainSite(world, node));
  await world.controlPlane.apply(...names.map((name) => namespace(`at-${name}`)));
  const place = { name: "default" };
  for (const { core, name } of sites.slice(0, names.length))
    await vi.waitFor(
      () => core.readNamespacedServiceAccount({ ...place, namespace: name }),
      patience,
    );
  return {
    world,
    site: (name: Name): DrainSite =>
      sites.find((one) => one.name === `at-${name}`) ?? new DrainSite(world, nodes[0] as never),
  };
}
