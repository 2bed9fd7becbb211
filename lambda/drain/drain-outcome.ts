import type { CommonOutcome, Note, Pass } from "../notice/outcome.ts";

/** The end of a drain. */
export type DrainOutcome =
  | CommonOutcome
  /**
   * Every pod that held the node is gone. These volumes were still attached, and these load balancers still had the
   * instance. These pods should long have ended, and nobody waited for them any more.
   */
  | {
      readonly kind: "drained";
      readonly attached: readonly string[];
      readonly targets?: readonly Note[];
      readonly stuck: readonly Note[];
      /** When a pass began that was too late for the drain's deadline, in ISO 8601. @default each was in time */
      readonly late?: string;
    }
  /** As `drained`, but these pods were deleted past a budget or a protection to get there, or got less grace than they ask for, a line each. */
  | {
      readonly kind: "forced";
      readonly attached: readonly string[];
      readonly targets?: readonly Note[];
      readonly stuck: readonly Note[];
      readonly forced: readonly string[];
      readonly late?: string;
    }
  /** The deadline came first; these pods, volumes and load balancers were still there. */
  | { readonly kind: "expired"; readonly left: readonly Note[]; readonly late?: string }
  /** As `expired`, but the hook is completed with ABANDON and the group retains the instance, so that its pods run on. */
  | { readonly kind: "kept"; readonly left: readonly Note[]; readonly late?: string }
  /** Nothing was changed, and the hook is completed. So a drain would have begun: these pods evicted, these held, these left alone. */
  | {
      readonly kind: "dry-run";
      /** The full numbers: the lines of a log stop at 100. @default as many as the lines */
      readonly counts?: Readonly<Record<"evicted" | "held" | "left", number>>;
      readonly evicted: readonly string[];
      readonly held: readonly string[];
      readonly left: readonly string[];
    }
  /** The cluster has no node for this instance. */
  | { readonly kind: "no-node" }
  /** The instance ended before its node was drained. */
  | { readonly kind: "instance-ended" };

/** One pass of a drain. */
export type DrainPass = Pass<DrainOutcome>;
