import type { InstanceId, NodeName } from "../base/ids.ts";
import type { DrainEntry } from "../drain/drain-entry.ts";

/** The journal's entries about instances that EC2 ends, and about the nodes that they leave. */
export type InterruptionEntry =
  | DrainEntry
  /** Only cordoned, because its instance is at risk; `until` is when that is undone if nothing happens. */
  | { readonly kind: "node-cordoned"; readonly node: NodeName; readonly until: string }
  /** AWS plans work on the host of a node; `starts` is empty once AWS has called it off. */
  | { readonly kind: "maintenance-planned"; readonly node: NodeName; readonly starts: string }
  | { readonly kind: "node-removed"; readonly node: NodeName; readonly instance: InstanceId }
  /** A node was tainted as out of service, or the taint was removed. */
  | { readonly kind: "out-of-service"; readonly node: NodeName; readonly taint: "set" | "removed" };
