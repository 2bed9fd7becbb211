import { seconds } from "../../lambda/domain/time.ts";
import { pods as podResource } from "../../sandbox/cluster/core-resources.ts";
import type { PodOptions } from "../../sandbox/cluster/drafts/pod-draft.ts";
import { refTo } from "../../sandbox/cluster/resource.ts";
import { perform } from "./planned-deeds.ts";
import type { Plan, PlannedPods } from "./random-plan.ts";
import { VirtualWorld } from "./virtual-world.ts";
import { critical, deploy, runWithVolume } from "./workloads.ts";
import { nodeOf } from "./world-options.ts";

const here = nodeOf(1);

/** How many nodes a planned world has. */
export const plannedNodes = 4;

/** Builds the world of a plan; the instance of its first node will terminate. */
export function planned(plan: Plan): VirtualWorld {
  const { pods, timeout, force, concurrency, taint, deeds } = plan;
  const world = new VirtualWorld({
    nodes: plannedNodes,
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
    run[some.kind](world, { ...podOf(some), name }, some.count);
    if (some.finalizers === "kept") keepAll(world, name);
    addBudgets(world, name, some);
  }
  world.pass(seconds(5));
  for (const [index, { after, what }] of deeds.entries())
    world.in(seconds(after), () => perform[what](world, `others-${index}`));
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

type Run = (world: VirtualWorld, usual: Usual, count: number) => void;

const alone =
  (more: Partial<PodOptions>): Run =>
  ({ cluster }, usual) => {
    const annotations = { ...usual.annotations, ...more.annotations };
    const spec = { ...usual.spec, ...more.spec };
    const labels = { app: usual.name };
    cluster.addPod({ ...usual, ...more, annotations, spec, labels, node: here });
  };

/** A Deployment whose pods carry annotations for the drain. */
const wishing =
  (wishes: Readonly<Record<string, string>>): Run =>
  (world, { annotations, ...usual }, count) => {
    deploy(world, { ...usual, annotations: { ...annotations, ...wishes }, on: { 1: count, 2: 1 } });
  };

const run: Readonly<Record<PlannedPods["kind"], Run>> = {
  bare: alone({}),
  volume: (world, usual) => runWithVolume(world, { ...usual, node: 1, detaching: seconds(20) }),
  "slow-volume": (world, usual) =>
    runWithVolume(world, { ...usual, node: 1, detaching: seconds(400) }),

  ended: alone({ status: { phase: "Succeeded" } }),
  mirror: alone({ annotations: { "kubernetes.io/config.mirror": "x" } }),
  skipped: alone({ annotations: { "eks-node-lifecycle/drain": "skip" } }),
  ordinary: (world, usual, count) => deploy(world, { ...usual, on: { 1: count, 2: 1 } }),
  critical: (world, { spec, ...usual }, count) =>
    deploy(world, { ...usual, spec: { ...spec, ...critical }, on: { 1: count, 2: 1 } }),
  protected: wishing({ "karpenter.sh/do-not-disrupt": "true" }),
  dated: wishing({ "karpenter.sh/do-not-disrupt": "1m" }),
  waiting: alone({
    annotations: { "eks-node-lifecycle/drain": "wait-completed", "hollow/exit.main": "100" },
    spec: { restartPolicy: "Never" },
  }),
  tolerant: (world, { spec, ...usual }, count) => {
    const nodeSelector = { "kubernetes.io/hostname": here };
    const tolerations = [{ operator: "Exists" }];
    deploy(world, { ...usual, spec: { ...spec, nodeSelector, tolerations }, on: { 1: count } });
  },
  stateful: ({ cluster }, usual) => {
    cluster.addStatefulSet({ ...usual, pods: [{ name: `${usual.name}-0`, node: here }] });
  },
  daemon: ({ cluster }, usual) => {
    cluster.addDaemonSet({ ...usual, pods: [{ name: `${usual.name}-1`, node: here }] });
  },
};
