import type { GroupName, GroupSelector } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";

/** Whether a group with these tags may be touched. */
export const isManaged = (managed: readonly GroupSelector[], group: GroupName, tags: Labels) =>
  managed.some((one) => (typeof one === "string" ? one === group : tags[one.key] === one.value));

/** Whether the tags of a group decide if it is managed. */
export const needsTags = (managed: readonly GroupSelector[], group: GroupName): boolean =>
  !managed.includes(group) && managed.some((one) => typeof one !== "string");

/** Names the groups that may be touched, for people. */
export const managedText = (managed: readonly GroupSelector[]): string =>
  managed
    .map((one) => (typeof one === "string" ? one : `groups with the tag ${one.key}=${one.value}`))
    .join(", ");
