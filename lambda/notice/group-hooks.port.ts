import type { GroupName, HookName } from "../base/ids.ts";
import type { Duration } from "../base/time.ts";

/** A lifecycle hook of a group. */
export interface GroupHook {
  readonly group: GroupName;
  readonly name: HookName;
  readonly transition: string;
  readonly heartbeat: Duration;
  readonly defaultResult: string;
  /** The ARN that it notifies; empty if it notifies nobody. */
  readonly target: string;
  readonly roleArn: string;
}

export interface GroupHooks {
  /** The hooks that a group has. */
  of(group: GroupName): Promise<readonly GroupHook[] | "no group">;
  /** Gives a group a hook, or changes the one of this name. */
  put(hook: GroupHook): Promise<void>;
  /** Removes a hook from its group, unless it is gone or notifies another target, and so belongs to another deployment. */
  remove(hook: GroupHook): Promise<void>;
}
