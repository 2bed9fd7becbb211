import { type Duration, later, seconds } from "../lambda/domain/time.ts";
import type { InstanceState } from "./aws/ec2/ec2.ts";
import { nodes } from "./cluster/kinds/core-resources.ts";
import type { Node } from "./cluster/kinds/node.ts";
import type { World } from "./scenario.ts";

/** How long the cloud controller takes to remove the node of a terminated instance; `never` where none does that. */
export type CloudController = Duration | "never";

/**
 * Stops the kubelet of a node when its EC2 instance shuts down or stops, and lets the cloud controller remove the node
 * when the instance is terminated.
 */
export function joinInstancesAndNodes(
  { aws, cluster }: World,
  controller: CloudController = seconds(0),
): void {
  const withNode = (id: string, act: (name: string) => void): void => {
    const isIts = ({ spec }: Node) => spec.providerID?.endsWith(`/${id}`) === true;
    const node = cluster.store.list(nodes).find(isIts);
    if (node !== undefined) act(node.metadata.name);
  };
  const remove = (id: string) => withNode(id, (name) => cluster.removeNode(name));
  const deeds: Partial<Record<InstanceState, (id: string) => void>> = {
    "shutting-down": (id) => withNode(id, (name) => cluster.stopKubelet(name)),
    stopping: (id) => withNode(id, (name) => cluster.stopKubelet(name)),
    terminated: (id) => {
      if (controller === 0) remove(id);
      else if (controller !== "never")
        aws.timeline.schedule(later(aws.timeline.now(), controller), () => remove(id));
    },
  };
  aws.ec2.onStateChange(({ id, state }) => deeds[state]?.(id));
}
