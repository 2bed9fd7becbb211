import type { GroupSelector } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import type { Duration } from "../base/time.ts";
import type { ActionResult } from "../notice/lifecycle-action.ts";

/** The settings of a launch. */
export interface LaunchSettings {
  /** The time limit of a launch, from the notice's own time. */
  readonly timeout: Duration;
  /** `on`: an instance goes into service only once its node is ready; `off`: as soon as its role is registered. */
  readonly gate: "on" | "off";
  /** The keys of the taints that a new node has until it has been set up. */
  readonly startupTaints: readonly string[];
  /** The fate of an instance whose node is not ready in time. */
  readonly atDeadline: ActionResult;
}

/** The launch policy of this deployment. */
export interface LaunchPolicy {
  /** The Auto Scaling groups whose instances may be touched. */
  readonly managed: readonly GroupSelector[];
  /** The length of one pass; then the notice returns to the queue. */
  readonly pass: Duration;
  /** The settings of a group, and the reasons why some of its tags do not count. */
  settingsFor(tags: Labels): {
    readonly settings: LaunchSettings;
    readonly refused: readonly string[];
  };
}
