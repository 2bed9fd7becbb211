import type { InstanceId } from "../base/ids.ts";
import type { Notice } from "./notice.ts";

/** The content of a notice, in a few words for people. */
export function noticeTitle(notice: Notice): string {
  switch (notice.kind) {
    case "launching":
    case "terminating":
      return `${notice.kind} ${notice.action.instance} of ${notice.action.group}`;
    case "maintenance":
      return `maintenance ${someOf(notice.instances)}`;
    case "test":
      return `test of ${notice.group}`;
    case "put-back":
      return "put back what made room";
    case "unrelated":
      return `unrelated: ${notice.reason}`;
    case "interrupted":
    case "at-risk":
    case "stopping":
    case "stopped":
      return `${notice.kind} ${notice.instance}`;
  }
}

const shown = 5;

/** Names a few of the instances; a Health event may affect thousands. */
function someOf(instances: readonly InstanceId[]): string {
  const first = instances.slice(0, shown).join(", ");
  return instances.length <= shown ? first : `${first} and ${instances.length - shown} others`;
}
