import type { MachineNode } from "../drain/node.ts";

/** A node of a group, with what an upgrade asks of it besides. */
export interface FleetNode extends MachineNode {
  /** Such as `v1.33.1-eks-1234567`. */
  readonly kubeletVersion: string;
  /** Its internal address; empty without one. */
  readonly address: string;
}

/** How many pods of DaemonSets a node should have, and has ready. */
export interface DaemonPods {
  readonly wanted: number;
  readonly ready: number;
}
