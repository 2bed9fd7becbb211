import type { GroupName, InstanceId } from "../ids.ts";
import type { Notice } from "./notice.ts";

/** What a line of the log is about, as far as that is known: the message, the instance and its group. */
export type Subject = Readonly<
  Partial<{ messageId: string; instance: InstanceId; group: GroupName }>
>;

/** The instance and the group that a notice is about; a notice about several instances names none here. */
export function subjectOf(notice: Notice): Subject {
  switch (notice.kind) {
    case "launching":
    case "terminating":
      return { instance: notice.action.instance, group: notice.action.group };
    case "test":
      return { group: notice.group };
    case "maintenance":
      return ofOne(notice.instances);
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
