import type { InstanceId, NodeName } from "../base/ids.ts";
import type { MachineNode } from "../drain/node.ts";
import type { Tenancy } from "../drain/tenancy.ts";

/** How many pods of DaemonSets a node should have, and has ready. */
export interface DaemonPods {
  readonly wanted: number;
  readonly ready: number;
}

/** The nodes of a group, and what the cluster says about how it bears the upgrade. */
export interface FleetNodes {
  /** The nodes of these instances, without their pods; instances without a node are left out. A node without a provider ID is known by its name. */
  nodesOf(instances: readonly InstanceId[]): Promise<readonly MachineNode[]>;
  /** The pods on each of these nodes that a drain would evict. */
  podCounts(nodes: readonly NodeName[]): Promise<ReadonlyMap<NodeName, number>>;
  /** All nodes with what is asked of them, and the pods of these instances. */
  tenancies(instances: readonly InstanceId[]): Promise<readonly Tenancy<MachineNode>[]>;
  daemonPods(node: NodeName): Promise<DaemonPods>;
  /** How many pods wait for a node. */
  pendingPods(): Promise<number>;
  /** The version of the API server, such as `v1.33.4`. */
  version(): Promise<string>;
  /** Whether a node answers a GET at this URL with 200. */
  answers(url: string): Promise<boolean>;
}
