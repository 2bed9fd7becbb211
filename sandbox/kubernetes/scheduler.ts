import { nodes, pods } from "./core-resources.ts";
import { controllerOf, type StatusCondition, terminating, withCondition } from "./kube-object.ts";
import { wireTime } from "./kube-time.ts";
import { type Machinery, reconcile } from "./machinery.ts";
import { type Node, nodeReady } from "./node.ts";
import {
  boundNode,
  isTolerated,
  type Pod,
  podFinished,
  preferredNode,
  tolerationsOf,
} from "./pod.ts";
import { refTo } from "./resource.ts";

const ownerOf = (pod: Pod): string => controllerOf(pod)?.uid ?? "";

/** Counts the pods on each node, in total and by owner. */
class NodeLoads {
  readonly #all = new Map<string, number>();
  readonly #owned = new Map<string, number>();

  constructor(pods: readonly Pod[]) {
    for (const pod of pods) if (pod.spec.nodeName) this.add(pod, pod.spec.nodeName);
  }

  /** Counts a pod on a node; a terminating pod does not keep its replacement off the node. */
  add(pod: Pod, node: string): void {
    this.#all.set(node, this.of(node) + 1);
    const key = `${ownerOf(pod)}@${node}`;
    if (!terminating(pod)) this.#owned.set(key, (this.#owned.get(key) ?? 0) + 1);
  }

  /** The number of pods on a node. */
  of(node: string): number {
    return this.#all.get(node) ?? 0;
  }

  /** The node with the fewest pods of the same owner; if several, the one with the fewest pods. */
  leastFor(pod: Pod, nodes: readonly Node[]): Node | undefined {
    const owner = ownerOf(pod);
    const loadOf = ({ metadata: { name } }: Node): readonly [number, number] => [
      this.#owned.get(`${owner}@${name}`) ?? 0,
      this.of(name),
    ];
    return nodes.reduce<Node | undefined>((best, node) => {
      if (best === undefined) return node;
      const [siblings, load] = loadOf(node);
      const [bestSiblings, bestLoad] = loadOf(best);
      return (siblings - bestSiblings || load - bestLoad) < 0 ? node : best;
    }, undefined);
  }
}

const usualCapacity = 110;
const zoneLabels = ["topology.kubernetes.io/region", "topology.kubernetes.io/zone"];

const cordon = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

type Objection = (pod: Pod, node: Node, load: number) => boolean;

/** The reasons against a node, in the scheduler's words. */
const objections: readonly (readonly [reason: string, holds: Objection])[] = [
  [
    "node(s) didn't satisfy plugin(s) [NodeAffinity]",
    ({ spec }, { metadata }) => (boundNode(spec) ?? metadata.name) !== metadata.name,
  ],
  [
    "node(s) were unschedulable",
    (pod, { spec }) => spec.unschedulable === true && tolerationsOf(pod.spec, cordon).length === 0,
  ],
  [
    "node(s) had untolerated taint(s)",
    (pod, { spec }) => (spec.taints ?? []).some((taint) => !isTolerated(pod.spec, taint)),
  ],
  ["node(s) were not ready", (pod, node) => !(nodeReady(node) || boundNode(pod.spec))],
  [
    "node(s) didn't match Pod's node affinity/selector",
    ({ spec }, { metadata }) =>
      Object.entries(spec.nodeSelector ?? {}).some(
        ([key, value]) => metadata.labels?.[key] !== value,
      ),
  ],
  [
    "Too many pods",
    (_, { status }, load) => load >= Number(status.allocatable?.pods ?? usualCapacity),
  ],
];

/** Why a node does not take a pod, or `undefined` if it does. */
const objection: (...its: Parameters<Objection>) => string | undefined = (pod, node, load) =>
  objections.find(([, holds]) => holds(pod, node, load))?.[0];

/** Gives each pending pod the node with the fewest pods of its owner, then the fewest pods. */
export function schedulePods(machinery: Machinery): void {
  const { store, timeline } = machinery;
  const scheduled = (pod: Pod, condition: Told): Pod["status"] => {
    const lastTransitionTime = wireTime(timeline.now());
    const news = { type: "PodScheduled", lastProbeTime: null, lastTransitionTime, ...condition };
    return { ...pod.status, conditions: withCondition(pod.status.conditions, news) };
  };
  const place = (pod: Pod, loads: NodeLoads): void => {
    const all = store.list(nodes);
    const refusals = all.map((node) => objection(pod, node, loads.of(node.metadata.name)));
    const fitting = all.filter((_, index) => refusals[index] === undefined);
    const preferred = preferredNode(pod.spec);
    const best =
      fitting.find(({ metadata: { name } }) => name === preferred) ?? loads.leastFor(pod, fitting);
    if (best !== undefined) loads.add(pod, best.metadata.name);
    store.update(refTo(pods, pod), (current) =>
      best === undefined
        ? { ...current, status: scheduled(current, unschedulable(refusals)) }
        : { ...bound(current, best), status: scheduled(current, { status: "True" }) },
    );
  };
  reconcile(machinery, [pods, nodes], () => {
    const all = store.list(pods).filter((pod) => !podFinished(pod));
    const pending = all.filter((pod) => !(pod.spec.nodeName || terminating(pod)));
    if (pending.length === 0) return;
    const loads = new NodeLoads(all);
    for (const pod of pending) place(pod, loads);
  });
}

type Told = Pick<StatusCondition, "status" | "reason" | "message">;

function unschedulable(refusals: readonly (string | undefined)[]): Told {
  const reasons = Map.groupBy(refusals, (reason) => reason ?? "");
  const counts = [...reasons].map(([reason, same]) => `${same.length} ${reason}`);
  const message = `0/${refusals.length} nodes are available: ${counts.join(", ")}.`;
  return { status: "False", reason: "Unschedulable", message };
}

/** A pod on its node, with the labels of the node's zone. */
function bound(pod: Pod, { metadata: { name: nodeName, labels = {} } }: Node): Pod {
  const zone = Object.entries(labels).filter(([key]) => zoneLabels.includes(key));
  return {
    ...pod,
    metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, ...Object.fromEntries(zone) } },
    spec: { ...pod.spec, nodeName },
  };
}
