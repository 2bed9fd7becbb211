import { nodes } from "./cluster/core-resources.ts";
import type { Node } from "./cluster/node.ts";
import type { World } from "./scenario.ts";

/**
 * Stops the kubelet of a node when its EC2 instance shuts down or stops, and removes the node
 * when the instance is terminated.
 */
export function joinInstancesAndNodes({ aws, cluster }: World): void {
  const nodeOf = (id: string): Node | undefined =>
    cluster.store.list(nodes).find(({ spec }) => spec.providerID?.endsWith(`/${id}`));
  aws.ec2.onStateChange(({ id, state }) => {
    const name = nodeOf(id)?.metadata.name;
    if (name === undefined) return;
    if (state === "shutting-down" || state === "stopping") cluster.stopKubelet(name);
    if (state === "terminated") cluster.removeNode(name);
  });
}
