import type { Notice } from "./notice.ts";

/** What a notice says, in a few words for people. */
export function noticeTitle(notice: Notice): string {
  switch (notice.kind) {
    case "launching":
    case "terminating":
      return `${notice.kind} ${notice.action.instance} of ${notice.action.group}`;
    case "maintenance":
      return `maintenance ${notice.instances.join(", ")}`;
    case "test":
      return `test of ${notice.group}`;
    case "unrelated":
      return `unrelated: ${notice.reason}`;
    case "interrupted":
    case "at-risk":
    case "stopping":
    case "stopped":
      return `${notice.kind} ${notice.instance}`;
  }
}
