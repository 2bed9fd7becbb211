import type { Labels } from "../base/labels.ts";

/** The prefix of all keys of an upgrade's tags. */
export const tagPrefix = "eks-node-lifecycle/upgrade";

/** The tags of a group by which its upgrade survives its passes. All of them are gone at its end. */
export const bookmarkKeys = {
  state: tagPrefix,
  /** Written apart from the state, so that a pass never overwrites what somebody has just said. */
  progress: `${tagPrefix}-progress`,
  to: `${tagPrefix}-to`,
  before: `${tagPrefix}-before`,
  options: `${tagPrefix}-options`,
  /** Times and counts; one tag has no room for all options. */
  limits: `${tagPrefix}-limits`,
  /** The two options that need the most room. */
  rules: `${tagPrefix}-rules`,
  /** The progress of what only some options ask for; without these there is no such tag. */
  more: `${tagPrefix}-more`,
  issue: `${tagPrefix}-issue`,
  /** Which failure of its passes holds it, and since when. */
  fault: `${tagPrefix}-fault`,
} as const;

/** The tag that says how the last upgrade of a group ended. */
export const endedKey = `${tagPrefix}-ended`;

// They are about an upgrade, and none has begun for their sake.
const remarks: readonly string[] = [bookmarkKeys.issue, bookmarkKeys.fault];

/** What a pass writes that does not know yet that the upgrade has ended. The other tags are written as it begins. */
const late: readonly string[] = [bookmarkKeys.state, bookmarkKeys.progress, bookmarkKeys.more];

/** Whether an upgrade of a group has begun that has not ended, even if nobody can read its tags any more. */
export function isUnderUpgrade(tags: Labels): boolean {
  const others = endedKey in tags ? [...remarks, ...late] : remarks;
  return Object.values(bookmarkKeys).some((key) => !others.includes(key) && key in tags);
}

/** The keys of the tags that were written once the last upgrade of a group had ended. */
export const leftKeys = (tags: Labels): readonly string[] =>
  isUnderUpgrade(tags) ? [] : [bookmarkKeys.issue, ...late].filter((key) => key in tags);
