import type { GroupName, HookName } from "../base/ids.ts";
import type { Duration } from "../base/time.ts";

/** A lifecycle hook as a deployment wants it. */
export interface GroupHook {
  readonly group: GroupName;
  readonly name: HookName;
  readonly transition: string;
  readonly heartbeat: Duration;
  readonly topicArn: string;
  readonly roleArn: string;
}

export interface GroupHooks {
  /** Gives a group a hook, or changes the one of this name. */
  put(hook: GroupHook): Promise<void>;
  /** Removes a hook from its group, unless it is gone or notifies another topic, and so belongs to another deployment. */
  remove(hook: GroupHook): Promise<void>;
}
