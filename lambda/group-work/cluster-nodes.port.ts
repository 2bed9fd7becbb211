import type { NodeName } from "../base/ids.ts";
import type { MachineNode } from "../drain/node.ts";

/** The nodes of the cluster, as all work on groups sees them. */
export interface ClusterNodes {
  /** All nodes of the cluster; those whose provider ID names no EC2 instance have an empty `instance`. */
  all(): Promise<readonly MachineNode[]>;
  /** The addresses of the pods on these nodes. */
  podAddresses(nodes: readonly NodeName[]): Promise<readonly string[]>;
  /** The namespaces that had too many pods for this reader, or too large ones, since it was last asked. */
  unreadNamespaces(): readonly string[];
  /** A reader of the same nodes for one pass, which alone learns what it has not read. */
  reader(): ClusterNodes;
}
