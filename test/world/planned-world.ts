import { seconds } from "../../lambda/domain/time.ts";
import { nodes } from "../../sandbox/cluster/core-resources.ts";
import type { PodOptions } from "../../sandbox/cluster/drafts/pod-draft.ts";
import { budgets } from "../../sandbox/cluster/policy-resources.ts";
import { changeBudget, changeNode, deletePod } from "./change.ts";
import { nodeOf } from "./landscape.ts";
import type { Plan, PlannedDeed, PlannedPods } from "./random-plan.ts";
import { VirtualWorld } from "./virtual-world.ts";
import { critical, deploy, podsOn } from "./workloads.ts";

const here = nodeOf(1);

/** Builds the world of a plan; its first node is the one that is to go. */
export function planned({ pods, timeout, force, concurrency, taint, deeds }: Plan): VirtualWorld {
  const world = new VirtualWorld({
    nodes: 3,
    settings: {
      DRAIN_TIMEOUT_SECONDS: String(timeout),
      DRAIN_FORCE: force,
      DRAIN_CONCURRENCY: String(concurrency),
      DRAIN_TAINT: taint,
    },
  });
  for (const [index, some] of pods.entries()) {
    const name = `${some.kind}-${index}`;
    run[some.kind](world, { ...podOf(some), name }, some.count);
    if (some.budget !== "none") world.cluster.addBudget({ name, maxUnavailable: some.budget });
  }
  world.pass(seconds(5));
  for (const [index, { after, what }] of deeds.entries())
    world.in(seconds(after), () => perform[what](world, `others-${index}`));
  return world;
}

/** What a pod is in all kinds of workload. */
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
    cluster.addPod({ ...usual, ...more, annotations, node: here });
  };

const run: Readonly<Record<PlannedPods["kind"], Run>> = {
  bare: alone({}),
  ended: alone({ status: { phase: "Succeeded" } }),
  mirror: alone({ annotations: { "kubernetes.io/config.mirror": "x" } }),
  skipped: alone({ annotations: { "eks-node-lifecycle/drain": "skip" } }),
  ordinary: (world, usual, count) => deploy(world, { ...usual, on: { 1: count, 2: 1 } }),
  critical: (world, { spec, ...usual }, count) =>
    deploy(world, { ...usual, spec: { ...spec, ...critical }, on: { 1: count, 2: 1 } }),
  protected: (world, { annotations, ...usual }, count) => {
    const wishes = { ...annotations, "karpenter.sh/do-not-disrupt": "true" };
    deploy(world, { ...usual, annotations: wishes, on: { 1: count, 2: 1 } });
  },
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

type Deed = (world: VirtualWorld, name: string) => void;

/** Does something to the first node, if it is still there. */
const toNode =
  (deed: Deed): Deed =>
  (world, name) => {
    const node = world.cluster.store.tryGet({ resource: nodes, name: here });
    if (node !== undefined) deed(world, name);
  };

/** What others do to the world while a node of it is drained. */
const perform: Readonly<Record<PlannedDeed["what"], Deed>> = {
  "delete a pod": (world) => {
    const [first] = podsOn(world, 1);
    if (first !== undefined) deletePod(world, first.metadata.name);
  },
  "mend budgets": (world) => {
    for (const { metadata } of world.cluster.store.list(budgets))
      changeBudget(world, metadata.name, { maxUnavailable: "100%" });
  },
  "remove the node": toNode(({ cluster }) => cluster.removeNode(here)),
  "run a pod": toNode(({ cluster }, name) => cluster.addPod({ name, node: here })),
  "silence the kubelet": toNode(({ cluster }) => cluster.stopKubelet(here)),
  taint: toNode((world, key) =>
    changeNode(world, 1, ({ spec, ...node }) => {
      const foreign = { key, effect: "PreferNoSchedule" };
      return { ...node, spec: { ...spec, taints: [...(spec.taints ?? []), foreign] } };
    }),
  ),
  uncordon: toNode((world) =>
    changeNode(world, 1, ({ spec, ...node }) => ({
      ...node,
      spec: { ...spec, unschedulable: false },
    })),
  ),
};
