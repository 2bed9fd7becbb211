import type { ActionToken, GroupName, InstanceId } from "../base/ids.ts";

/** What a line of the log is about, as far as that is known: the message, the instance, its group and the token of its hook. */
export type Subject = Readonly<
  Partial<{ messageId: string; instance: InstanceId; group: GroupName; token: ActionToken }>
>;
