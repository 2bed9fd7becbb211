import { type Duration, type Instant, later } from "../../lambda/base/time.ts";
import { nodes, pods } from "./core-resources.ts";
import { hasCondition, type StatusCondition, withCondition } from "./kube-object.ts";
import { wireTime } from "./kube-time.ts";
import { type Machinery, reconcile } from "./machinery.ts";
import { type Node, nodeConditions, type Taint } from "./node.ts";
import type { Pod } from "./pod.ts";
import { refTo } from "./resource.ts";

type TaintRule = readonly [
  key: string,
  effects: readonly string[],
  wanted: (node: Node) => boolean,
];

const both = ["NoSchedule", "NoExecute"];

/** The taints that follow from the state of a node. */
const wantedTaints: readonly TaintRule[] = [
  ["unschedulable", ["NoSchedule"], ({ spec }) => spec.unschedulable === true],
  ["not-ready", both, ({ status }) => hasCondition(status.conditions, "Ready", "False")],
  ["unreachable", both, ({ status }) => hasCondition(status.conditions, "Ready", "Unknown")],
];

/** The taints of a node: brings those that follow from its state up to date, keeps all others; undefined if all are as wanted. */
function changedTaints(node: Node, now: Instant): readonly Taint[] | undefined {
  const timeAdded = wireTime(now);
  const wanted = wantedTaints.flatMap(([name, effects, holds]) =>
    effects.map((effect) => ({ key: `node.kubernetes.io/${name}`, effect, holds: holds(node) })),
  );
  const same = (a: Taint) => (b: Taint) => a.key === b.key && a.effect === b.effect;
  const taints = node.spec.taints ?? [];
  const kept = taints.filter((taint) => wanted.find(same(taint))?.holds !== false);
  const missing = wanted.filter((taint) => taint.holds && !kept.some(same(taint)));
  if (missing.length === 0 && kept.length === taints.length) return undefined;
  return [...kept, ...missing.map(({ key, effect }) => ({ key, effect, timeAdded }))];
}

/** The controller gives up on the kubelet's own conditions; those of others stay as they are. @see https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/nodelifecycle/node_lifecycle_controller.go */
const isKubelets = ({ type }: StatusCondition): boolean =>
  ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"].includes(type);

/** A pod on a node whose kubelet is silent: it counts as not ready. */
function doubted(pod: Pod, lastTransitionTime: string): Pod {
  const ready = pod.status.conditions?.find(({ type }) => type === "Ready");
  if (ready === undefined) return pod;
  const { reason: _, ...before } = ready;
  const doubt: StatusCondition = { ...before, status: "False", lastTransitionTime };
  const conditions = withCondition(pod.status.conditions, doubt);
  return { ...pod, status: { ...pod.status, conditions } };
}

/** Taints nodes according to their state, and notices when a kubelet falls silent. */
export class NodeLifecycle {
  readonly #machinery: Machinery;
  readonly #monitorGrace: Duration;
  readonly #silentSince = new Map<string, Instant>();

  constructor(machinery: Machinery, monitorGrace: Duration) {
    this.#machinery = machinery;
    this.#monitorGrace = monitorGrace;
    reconcile(machinery, [nodes], () => this.#taint());
  }

  /** The kubelet of a node has fallen silent: after a while the state of the node is unknown. */
  silence(name: string): void {
    const { timeline } = this.#machinery;
    const since = timeline.now();
    this.#silentSince.set(name, since);
    timeline.schedule(later(since, this.#monitorGrace), () => {
      if (this.#silentSince.get(name) === since) this.#giveUpOn(name);
    });
  }

  /** The kubelet of a node reports again, and the node is ready. */
  hear(name: string): void {
    this.forget(name);
    this.report(name, "ready");
  }

  /** Stops waiting for the kubelet of a node. */
  forget(name: string): void {
    this.#silentSince.delete(name);
  }

  /** A kubelet reports the state of its node. */
  report(name: string, state: "ready" | "not-ready"): void {
    this.#tell(name, nodeConditions(state, this.#machinery.timeline.now()));
  }

  /** Somebody, such as EKS' node monitoring agent, sets a condition of a node, by its own clock. */
  set(name: string, condition: Omit<StatusCondition, "lastTransitionTime">, clock: Instant): void {
    this.#tell(name, [{ ...condition, lastTransitionTime: wireTime(clock) }]);
  }

  #giveUpOn(name: string): void {
    const { store, timeline } = this.#machinery;
    const unheard = {
      status: "Unknown",
      lastTransitionTime: wireTime(timeline.now()),
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting node status.",
    } as const;
    const known = store.tryGet({ resource: nodes, name })?.status.conditions ?? [];
    this.#tell(
      name,
      known.filter(isKubelets).map((condition) => ({ ...condition, ...unheard })),
    );
    for (const pod of store.list(pods).filter(({ spec }) => spec.nodeName === name)) {
      store.update(refTo(pods, pod), (it) => doubted(it, unheard.lastTransitionTime));
    }
  }

  #tell(name: string, news: readonly StatusCondition[]): void {
    const { store } = this.#machinery;
    const ref = { resource: nodes, name };
    if (store.tryGet(ref) === undefined) return;
    store.update(ref, (node) => ({
      ...node,
      status: { ...node.status, conditions: news.reduce(withCondition, node.status.conditions) },
    }));
  }

  #taint(): void {
    const { store, timeline } = this.#machinery;
    for (const node of store.list(nodes)) {
      const taints = changedTaints(node, timeline.now());
      if (taints === undefined) continue;
      store.update(refTo(nodes, node), (it) => ({ ...it, spec: { ...it.spec, taints } }));
    }
  }
}
