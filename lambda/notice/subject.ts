import type { ActionToken, GroupName, InstanceId } from "../base/ids.ts";
import type { Notice } from "./notice.ts";

/** What a line of the log is about, as far as that is known: the message, the instance, its group and the token of its hook. */
export type Subject = Readonly<
  Partial<{ messageId: string; instance: InstanceId; group: GroupName; token: ActionToken }>
>;

/** The instance and the group that a notice is about; a notice about several instances names none here. */
export function subjectOf(notice: Notice): Subject {
  switch (notice.kind) {
    case "launching":
    case "terminating": {
      const { instance, group, token } = notice.action;
      return token === "unsaid" ? { instance, group } : { instance, group, token };
    }
    case "test":
      return { group: notice.group };
    case "maintenance":
      return ofOne(notice.instances);
    case "put-back":
    case "unrelated":
      return {};
    case "interrupted":
    case "at-risk":
    case "stopping":
    case "stopped":
      return { instance: notice.instance };
  }
}

const ofOne = ([instance, ...others]: readonly InstanceId[]): Subject =>
  instance === undefined || others.length > 0 ? {} : { instance };
