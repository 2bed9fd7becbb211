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

// They are about an upgrade, and none has begun for their sake.
const remarks: readonly string[] = [bookmarkKeys.issue, bookmarkKeys.fault];

/** Whether an upgrade of a group has begun that has not ended, even if nobody can read its tags any more. */
export const isUnderUpgrade = (tags: Labels): boolean =>
  Object.values(bookmarkKeys).some((key) => !remarks.includes(key) && key in tags);
