import type { NodeName } from "../ids.ts";
import type { Duration } from "../time.ts";
import type { ActionResult } from "./lifecycle-action.ts";

/** How a notice ended, when it has. */
export type Outcome =
  /**
   * Every pod that held the node is gone and the hook is completed. These volumes were still attached, and these
   * pods, a line each, should long have ended and were waited for no more.
   */
  | {
      readonly kind: "drained";
      readonly attached: readonly string[];
      readonly stuck: readonly string[];
    }
  /** The deadline came first; the hook is completed and these pods were still there, a line each. */
  | { readonly kind: "expired"; readonly left: readonly string[] }
  /** The cluster has no node for this instance; the hook is completed. */
  | { readonly kind: "no-node" }
  /** The instance ended before its node was drained; the hook is completed. */
  | { readonly kind: "instance-ended" }
  /** The node of a launched instance is ready, and the hook is completed. */
  | { readonly kind: "joined"; readonly node: NodeName }
  /** The role of a launched instance may join, its node is not waited for, and the hook is completed. */
  | { readonly kind: "registered"; readonly role: string }
  /** The node of a launched instance was not ready in time; the hook is completed with that result. */
  | { readonly kind: "not-joined"; readonly reason: string; readonly result: ActionResult }
  /** The hook was completed, or timed out, by somebody else. */
  | { readonly kind: "released-elsewhere" }
  /** A hook was made, and its way here works. */
  | { readonly kind: "tested" }
  /** Nothing was touched. */
  | { readonly kind: "ignored"; readonly reason: string };

/** What one pass over a notice came to. */
export type Pass =
  | { readonly kind: "done"; readonly outcome: Outcome }
  /** Not done: the notice is to come back then. */
  | { readonly kind: "again"; readonly wait: Duration };
