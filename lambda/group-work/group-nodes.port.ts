import type { InstanceId, NodeName } from "../base/ids.ts";
import type { MachineNode } from "../drain/node.ts";
import type { NodeInfo } from "../drain/node-info.ts";
import type { ClusterNodes } from "./cluster-nodes.port.ts";

/** A pod of a DaemonSet that a node should have. */
export interface DaemonPod {
  readonly namespace: string;
  readonly name: string;
  readonly readiness: "not-ready" | "ready";
}

/** The nodes of a group, and what the cluster says about how it bears the work. */
export interface GroupNodes extends ClusterNodes {
  /**
   * The nodes of these instances, one for each, without their pods; instances without a node are left out. A node without a
   * provider ID is known by its name. If several nodes have the same provider ID, the one whose name EC2 says counts.
   */
  nodesOf(instances: readonly InstanceId[]): Promise<readonly MachineNode[]>;
  /** The pods on each of these nodes that a drain would evict. */
  podCounts(nodes: readonly NodeName[]): Promise<ReadonlyMap<NodeName, number>>;
  /** All nodes with what is asked of them, and the pods of these instances. */
  nodeInfos(instances: readonly InstanceId[]): Promise<readonly NodeInfo<MachineNode>[]>;
  daemonPods(node: NodeName): Promise<readonly DaemonPod[]>;
  /** The number of pods of each namespace that wait for a node. */
  pendingPods(): Promise<ReadonlyMap<string, number>>;
  /** The number of running pods of a namespace. */
  runningPods(namespace: string): Promise<number>;
  /** The version of the API server, such as `v1.33.4`. */
  version(): Promise<string>;
  /** Whether a node answers a GET at this URL with 200. */
  answers(url: string): Promise<boolean>;
  reader(): GroupNodes;
}
