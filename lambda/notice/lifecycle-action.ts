import type { ActionToken, GroupName, HookName, InstanceId } from "../base/ids.ts";
import type { Duration } from "../base/time.ts";

/**
 * One hold of one instance by one hook, addressed by its token. A notice that is sent again for a lost one knows no token:
 * then Auto Scaling takes the action that is active for the instance now.
 */
export interface LifecycleAction {
  readonly group: GroupName;
  readonly hook: HookName;
  readonly token: ActionToken | "unsaid";
  readonly instance: InstanceId;
}

/** The fate of a held instance: it goes on, or is given up. */
export type ActionResult = "CONTINUE" | "ABANDON";

/** The instances that a hook holds. */
export type HeldTransition = "launching" | "terminating";

/** Which instances a hook holds, and what it does without an answer. */
export interface HookTerms {
  /** `unknown` where the hook could not be read. */
  readonly transition: HeldTransition | "unknown";
  /** The ARN that it notifies; empty where it notifies nobody, or could not be read. */
  readonly target: string;
  /** The time for which an instance is held without a heartbeat. */
  readonly heartbeatTimeout: Duration;
  /** The fate of the instance at the timeout; `unknown` where the hook could not be read. */
  readonly onTimeout: ActionResult | "unknown";
}

/** The answer to a heartbeat or a completion; `no-active-action` if a timeout or another completion came first. */
export type ActionAnswer = "taken" | "no-active-action";
