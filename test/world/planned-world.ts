import { seconds } from "../../lambda/base/time.ts";
import { budgets } from "../../sandbox/kubernetes/budget.ts";
import { nodes, pods as podResource } from "../../sandbox/kubernetes/core-resources.ts";
import type { PodOptions } from "../../sandbox/kubernetes/pod-draft.ts";
import { refTo } from "../../sandbox/kubernetes/resource.ts";
import { changeBudget, changeNode, deletePod } from "./change.ts";
import type { Plan, PlannedDeed, PlannedPeer, PlannedPods } from "./random-plan.ts";
import { VirtualWorld } from "./virtual-world.ts";
import type { Orders } from "./witnessed-drain.ts";
import type { AllOrders } from "./witnessed-drains.ts";
import { critical, deploy, podsOn, runWithVolume } from "./workloads.ts";
import { nodeOf, type OtherGroup } from "./world-options.ts";

/** Something that others do to a world; a new object gets the name. */
interface Done {
  readonly world: VirtualWorld;
  /** The number of the node that it is done to. */
  readonly index: number;
  readonly name: string;
}

type Deed = (done: Done) => void;

/** Does something to a node, if it still exists. */
const toNode =
  (deed: Deed): Deed =>
  (done) => {
    const { world, index } = done;
    const node = world.cluster.store.tryGet({ resource: nodes, name: nodeOf(index) });
    if (node !== undefined) deed(done);
  };

/** What others do to the world during a drain. */
const perform: Readonly<Record<PlannedDeed["what"], Deed>> = {
  "count budgets again": ({ world: { cluster } }) => cluster.releaseBudgets(),
  "delete a pod": ({ world, index }) => {
    const [first] = podsOn(world, index);
    if (first !== undefined) deletePod(world, first.metadata.name);
  },
  "mend budgets": ({ world }) => {
    for (const { metadata } of world.cluster.store.list(budgets))
      changeBudget(world, metadata.name, { maxUnavailable: "100%" });
  },
  "remove the node": toNode(({ world, index }) => world.cluster.removeNode(nodeOf(index))),
  "run a pod": toNode(({ world, index, name }) =>
    world.cluster.addPod({ name, node: nodeOf(index) }),
  ),
  "silence the kubelet": toNode(({ world, index }) => world.cluster.stopKubelet(nodeOf(index))),
  taint: toNode(({ world, index, name }) =>
    changeNode(world, index, ({ spec, ...node }) => {
      const foreign = { key: name, effect: "PreferNoSchedule" };
      return { ...node, spec: { ...spec, taints: [...(spec.taints ?? []), foreign] } };
    }),
  ),
  uncordon: toNode(({ world, index }) =>
    changeNode(world, index, ({ spec, ...node }) => ({
      ...node,
      spec: { ...spec, unschedulable: false },
    })),
  ),
};

/** The settings of the drains that a plan asks for. */
export function ordersOf({ timeout, force, peer }: Plan): AllOrders {
  const first = { timeout: seconds(timeout), force };
  const second = peer === "none" || peer.group === "same" ? first : ordersIn(peer.group, force);
  return new Map([
    [1, first],
    [2, second],
  ]);
}

/** A group cannot ask for force if the deployment has none. */
const ordersIn = (group: Pick<Plan, "force" | "timeout">, force: Plan["force"]): Orders => ({
  timeout: seconds(group.timeout),
  force: force === "never" ? force : group.force,
});

function groupOf({ group }: PlannedPeer): OtherGroup | undefined {
  if (group === "same") return undefined;
  const { timeout, force } = group;
  const own = "eks-node-lifecycle/drain-";
  return { nodes: [2], tags: { [`${own}timeout-seconds`]: `${timeout}`, [`${own}force`]: force } };
}

/** Builds the world of a plan; the instance of its first node will terminate. */
export function planned(plan: Plan): VirtualWorld {
  const { pods, timeout, force, concurrency, taint, deeds, peer } = plan;
  const others = peer === "none" ? undefined : groupOf(peer);
  const world = new VirtualWorld({
    ...(others && { others }),
    nodes: 4,
    seed: plan.seed,
    heartbeat: seconds(plan.troubles.length === 0 ? plan.heartbeat : 1800),
    settings: {
      DRAIN_TIMEOUT_SECONDS: String(timeout),
      DRAIN_FORCE: force,
      DRAIN_CONCURRENCY: String(concurrency),
      DRAIN_TAINT: taint,
    },
  });
  if (plan.budgets === "unobserved") world.cluster.holdBudgets();
  for (const [index, some] of pods.entries()) {
    const name = `${some.kind}-${index}`;
    run[some.kind](world, { ...podOf(some), name }, some);
    if (some.finalizers === "kept") keepAll(world, name);
    addBudgets(world, name, some);
  }
  world.pass(seconds(5));
  for (const [index, { after, to, what }] of deeds.entries())
    world.in(seconds(after), () => perform[what]({ world, index: to, name: `others-${index}` }));
  return world;
}

function addBudgets(
  { cluster }: VirtualWorld,
  name: string,
  { budget, budgets }: PlannedPods,
): void {
  if (budget === "none") return;
  const selector = { matchLabels: { app: name } };
  for (let count = 1; count <= budgets; count += 1)
    cluster.addBudget({ name: `${name}-${count}`, selector, maxUnavailable: budget });
}

/** Gives the pods of a workload a finalizer, which keeps them in the API after their end. */
function keepAll({ cluster }: VirtualWorld, name: string): void {
  const own = cluster.store
    .list(podResource)
    .filter(({ metadata }) => metadata.name.startsWith(name));
  for (const pod of own)
    cluster.store.update(refTo(podResource, pod), (it) => ({
      ...it,
      metadata: { ...it.metadata, finalizers: ["example.com/kept"] },
    }));
}

/** The options that pods of all kinds of workload share. */
type Usual = Pick<PodOptions, "name" | "spec"> & {
  readonly annotations: Readonly<Record<string, string>>;
};

const podOf = ({ grace, ending, health }: PlannedPods): Omit<Usual, "name"> => ({
  annotations: {
    "hollow/term-seconds": String(ending),
    "hollow/ready": String(health === "ready"),
  },
  spec: { terminationGracePeriodSeconds: grace },
});

/** How many pods there are, and on which node. */
type Place = Pick<PlannedPods, "count" | "on">;

type Run = (world: VirtualWorld, usual: Usual, place: Place) => void;

/** Pods on their node, and one that the workload has elsewhere. */
const spread = ({ count, on }: Place): Readonly<Record<number, number>> => ({
  [on]: count,
  [on === 1 ? 2 : 1]: 1,
});

const alone =
  (more: Partial<PodOptions>): Run =>
  ({ cluster }, usual, { on }) => {
    const annotations = { ...usual.annotations, ...more.annotations };
    const spec = { ...usual.spec, ...more.spec };
    const labels = { app: usual.name };
    cluster.addPod({ ...usual, ...more, annotations, spec, labels, node: nodeOf(on) });
  };

/** A Deployment whose pods carry annotations for the drain. */
const wishing =
  (wishes: Readonly<Record<string, string>>): Run =>
  (world, { annotations, ...usual }, place) => {
    deploy(world, { ...usual, annotations: { ...annotations, ...wishes }, on: spread(place) });
  };

const run: Readonly<Record<PlannedPods["kind"], Run>> = {
  bare: alone({}),
  volume: (world, usual, { on }) =>
    runWithVolume(world, { ...usual, node: on, detaching: seconds(20) }),
  "slow-volume": (world, usual, { on }) =>
    runWithVolume(world, { ...usual, node: on, detaching: seconds(400) }),

  ended: alone({ status: { phase: "Succeeded" } }),
  mirror: alone({ annotations: { "kubernetes.io/config.mirror": "x" } }),
  skipped: alone({ annotations: { "eks-node-lifecycle/drain": "skip" } }),
  ordinary: (world, usual, place) => deploy(world, { ...usual, on: spread(place) }),
  critical: (world, { spec, ...usual }, place) =>
    deploy(world, { ...usual, spec: { ...spec, ...critical }, on: spread(place) }),
  protected: wishing({ "karpenter.sh/do-not-disrupt": "true" }),
  dated: wishing({ "karpenter.sh/do-not-disrupt": "1m" }),
  waiting: alone({
    annotations: { "eks-node-lifecycle/drain": "wait-completed", "hollow/exit.main": "100" },
    spec: { restartPolicy: "Never" },
  }),
  tolerant: (world, { spec, ...usual }, { count, on }) => {
    const nodeSelector = { "kubernetes.io/hostname": nodeOf(on) };
    const tolerations = [{ operator: "Exists" }];
    deploy(world, { ...usual, spec: { ...spec, nodeSelector, tolerations }, on: { [on]: count } });
  },
  stateful: ({ cluster }, usual, { on }) => {
    cluster.addStatefulSet({ ...usual, pods: [{ name: `${usual.name}-0`, node: nodeOf(on) }] });
  },
  daemon: ({ cluster }, usual, { on }) => {
    cluster.addDaemonSet({ ...usual, pods: [{ name: `${usual.name}-1`, node: nodeOf(on) }] });
  },
};
