import type { NodeName } from "../base/ids.ts";
import type { ActionResult } from "../notice/lifecycle-action.ts";
import type { CommonOutcome, Pass } from "../notice/outcome.ts";

/** The end of a launch. */
export type LaunchOutcome =
  | CommonOutcome
  /** The node of a launched instance is ready. */
  | { readonly kind: "joined"; readonly node: NodeName }
  /** The role of a launched instance has access, and its node is not waited for. */
  | { readonly kind: "registered"; readonly role: string }
  /** The role of a launched instance could not be registered; its node is not waited for, and the instance goes on. */
  | { readonly kind: "not-registered"; readonly reason: string }
  /** The node of a launched instance was not ready in time; its hook is completed with that result. */
  | { readonly kind: "not-joined"; readonly reason: string; readonly result: ActionResult };

/** One pass of a launch. */
export type LaunchPass = Pass<LaunchOutcome>;
