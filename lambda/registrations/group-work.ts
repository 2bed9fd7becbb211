import type { GroupName } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import { isUnderUpgrade } from "../upgrade/upgrade-tags.ts";

/** Work on all nodes of a group, during which nothing of it is repaired. */
interface GroupWork {
  readonly kind: "upgrade";
  isUnderWay(tags: Labels): boolean;
  /** What a repair waits for, and the way out. */
  says(group: GroupName): string;
}

/** All such work. */
export const groupWorks: readonly GroupWork[] = [
  {
    kind: "upgrade",
    isUnderWay: isUnderUpgrade,
    says: (group) => `${group} is upgraded; waits for the end of the upgrade, or abort it`,
  },
];
