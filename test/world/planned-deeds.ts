import { nodes } from "../../sandbox/cluster/core-resources.ts";
import { budgets } from "../../sandbox/cluster/policy-resources.ts";
import { changeBudget, changeNode, deletePod } from "./change.ts";
import type { PlannedDeed } from "./random-plan.ts";
import type { VirtualWorld } from "./virtual-world.ts";
import { podsOn } from "./workloads.ts";
import { nodeOf } from "./world-options.ts";

const here = nodeOf(1);

type Deed = (world: VirtualWorld, name: string) => void;

/** Does something to the first node, if it still exists. */
const toNode =
  (deed: Deed): Deed =>
  (world, name) => {
    const node = world.cluster.store.tryGet({ resource: nodes, name: here });
    if (node !== undefined) deed(world, name);
  };

/** What others do to the world during a drain. */
export const perform: Readonly<Record<PlannedDeed["what"], Deed>> = {
  "count budgets again": ({ cluster }) => cluster.releaseBudgets(),
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
