import type { Labels } from "../base/labels.ts";
import { isUnderUpgrade } from "../upgrade/upgrade-tags.ts";

/** Work on all nodes of a group, during which nothing of it is repaired. */
interface GroupWork {
  readonly kind: "upgrade";
  isUnderWay(tags: Labels): boolean;
}

/** All such work. */
export const groupWorks: readonly GroupWork[] = [{ kind: "upgrade", isUnderWay: isUnderUpgrade }];
