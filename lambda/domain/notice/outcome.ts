import type { NodeName } from "../ids.ts";
import type { Duration } from "../time.ts";
import type { ActionResult } from "./lifecycle-action.ts";

/** How a notice ended, when it has. */
export type Outcome =
  /**
   * Every pod that held the node is gone, and the hook is completed. `attached` names the volumes that were still
   * attached. `stuck` names, one line each, the pods that should have ended long before: the drain gave up on them.
   */
  | {
      readonly kind: "drained";
      readonly attached: readonly string[];
      readonly stuck: readonly string[];
    }
  /** The deadline came first, and the hook is completed. `left` names the pods that were still there, one line each. */
  | { readonly kind: "expired"; readonly left: readonly string[] }
  /** The cluster has no node for this instance; the hook is completed. */
  | { readonly kind: "no-node" }
  /** The instance ended before its node was drained; the hook is completed. */
  | { readonly kind: "instance-ended" }
  /** The node of a launched instance is ready, and the hook is completed. */
  | { readonly kind: "joined"; readonly node: NodeName }
  /** The role of a launched instance is registered, the launch does not wait for its node, and the hook is completed. */
  | { readonly kind: "registered"; readonly role: string }
  /** The node of a launched instance was not ready in time; the hook is completed with `result`. */
  | { readonly kind: "not-joined"; readonly reason: string; readonly result: ActionResult }
  /** Somebody else completed the hook, or it timed out. */
  | { readonly kind: "released-elsewhere" }
  /** Somebody created a hook, and its messages arrive. */
  | { readonly kind: "tested" }
  /** The function touched nothing. */
  | { readonly kind: "ignored"; readonly reason: string };

/** What one pass over a message came to; `O` says how its work may end. */
export type Pass<O = Outcome> =
  | { readonly kind: "done"; readonly outcome: O }
  /** Not done: the message is to come back then. */
  | { readonly kind: "again"; readonly wait: Duration };
