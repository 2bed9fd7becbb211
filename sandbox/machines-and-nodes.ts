import { nodes } from "./cluster/core-resources.ts";
import type { Node } from "./cluster/node.ts";
import type { World } from "./scenario.ts";

/** Lets a node share the fate of its instance: no kubelet works on a machine that is off, and no node outlives it. */
export function joinMachinesAndNodes({ aws, cluster }: World): void {
  const nodeOf = (id: string): Node | undefined =>
    cluster.store.list(nodes).find(({ spec }) => spec.providerID?.endsWith(`/${id}`));
  aws.ec2.onStateChange(({ id, state }) => {
    const name = nodeOf(id)?.metadata.name;
    if (name === undefined) return;
    if (state === "shutting-down" || state === "stopping") cluster.stopKubelet(name);
    if (state === "terminated") cluster.removeNode(name);
  });
}
