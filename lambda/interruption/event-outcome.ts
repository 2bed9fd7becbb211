import type { InstanceId, NodeName } from "../base/ids.ts";
import type { DrainOutcome } from "../drain/drain-outcome.ts";
import type { Pass } from "../notice/outcome.ts";

/** The end of the work on an instance that no hook holds. */
export type EventOutcome =
  | DrainOutcome
  /** The node of an instance that is gone was still there, and is removed. */
  | { readonly kind: "node-removed"; readonly node: NodeName }
  /** An instance is gone, and its node with it. */
  | { readonly kind: "nothing-left" }
  /** The node of an instance at risk is cordoned; if nothing happens, its notice comes back to undo that. */
  | { readonly kind: "cordoned"; readonly node: NodeName }
  /** Planned work affects several instances: a notice of its own waits for each of these. */
  | { readonly kind: "passed-on"; readonly instances: readonly InstanceId[] }
  /** AWS has called off the work that it had planned; these nodes had been marked for it, and no longer are. */
  | { readonly kind: "called-off"; readonly nodes: readonly NodeName[] };

/** One pass of work on an instance that no hook holds. */
export type EventPass = Pass<EventOutcome>;
