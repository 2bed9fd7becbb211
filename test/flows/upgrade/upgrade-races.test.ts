import { expect, it } from "vitest";
import { nodes } from "../../../sandbox/cluster/kinds/core-resources.ts";
import { well } from "../../world/fault-plan.ts";
import { UpgradeWorld } from "../../world/upgrade-world.ts";
import { nodeOf } from "../../world/world-options.ts";

it("takes a whole batch although somebody else writes one of its nodes at the same time", async () => {
  const world = new UpgradeWorld({ size: 4 });
  const name = nodeOf(1);
  let writes = 0;
  // The first write to the node is its cordon, at which Kubernetes taints it; the second one begins its turn.
  world.faults = ({ what }) => {
    if (what !== `patch nodes ${name}`) return well;
    writes += 1;
    if (writes === 2)
      world.cluster.store.update({ resource: nodes, name }, (node) => ({
        ...node,
        metadata: { ...node.metadata, annotations: { ...node.metadata.annotations, other: "x" } },
      }));
    return well;
  };
  await world.upgraded({ maxUnavailable: { kind: "count", value: 4 } });

  expect(world.ended).toBe("done");
  const chosen = world.told("upgrade-nodes").filter(({ deed }) => deed === "chosen");
  expect(chosen.map((one) => one.nodes.length)).toEqual([4]);
});
