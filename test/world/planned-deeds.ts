import { nodes } from "../../sandbox/kubernetes/core-resources.ts";
import { budgets } from "../../sandbox/kubernetes/policy-resources.ts";
import { changeBudget, changeNode, deletePod } from "./change.ts";
import type { PlannedDeed } from "./random-plan.ts";
import type { VirtualWorld } from "./virtual-world.ts";
import { podsOn } from "./workloads.ts";
import { nodeOf } from "./world-options.ts";

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
export const perform: Readonly<Record<PlannedDeed["what"], Deed>> = {
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
