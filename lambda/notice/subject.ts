import type { ActionToken, GroupName, InstanceId } from "../base/ids.ts";

/**
 * The subject of a log line, as far as it is known: the message, the instance, its group and the
 * token of its hook.
 */
export type Subject = Readonly<
  Partial<{ messageId: string; instance: InstanceId; group: GroupName; token: ActionToken }>
>;
